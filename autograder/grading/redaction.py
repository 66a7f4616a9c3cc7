"""What a student may see of a report."""

from __future__ import annotations

from dataclasses import replace

from autograder.judge.messages import kind_of_error
from autograder.model import CheckReport, Outcome, Report


def for_student(report: Report) -> Report:
    """The report as a student may see it: of hidden checks the name, the outcome, the points and the kind of error, no more."""
    checks = tuple(_without_data(check) if check.hidden else check for check in report.checks)
    return replace(report, audience="student", checks=checks)


def _without_data(check: CheckReport) -> CheckReport:
    message = check.message if check.outcome is Outcome.SKIPPED else kind_of_error(check.function, check.kind)
    return CheckReport(check.id, check.says, check.function, True, check.outcome, check.points, check.max_points, message, kind=check.kind)
