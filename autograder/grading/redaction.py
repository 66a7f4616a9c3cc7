"""What a student may see of a report."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from autograder.judge.messages import NEVER_CALLED, kind_of_error, kind_of_outcome, without_fault
from autograder.model import CheckReport, Outcome, Report


def for_student(report: Report) -> Report:
    """The report as a student may see it.

    Of hidden checks there are the name, the outcome and the points, and of an error that there was one: which one the submission
    chooses, and could choose by a hidden row. What keeps all from being called is told where a visible check tells it too. Of a fault of
    ours there is that there was one.
    """
    seen = frozenset(check.kind for check in report.checks if not check.hidden) & NEVER_CALLED
    checks = tuple(_without_data(check, seen) if check.hidden else _without_fault(check) for check in report.checks)
    return replace(report, audience="student", checks=checks)


def _without_fault(check: CheckReport) -> CheckReport:
    return replace(check, message=without_fault(check.message)) if check.outcome is Outcome.GRADER_ERROR else check


def _without_data(check: CheckReport, seen: Set[str]) -> CheckReport:
    kind = check.kind if check.kind in seen else kind_of_outcome(check.outcome)
    message = kind_of_error(check.function, kind)
    if check.outcome in {Outcome.SKIPPED, Outcome.GRADER_ERROR}:
        message = without_fault(check.message)
    return CheckReport(check.id, check.says, check.function, True, check.outcome, check.points, check.max_points, message, kind=kind)
