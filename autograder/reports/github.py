"""Graded reports as the result that GitHub Classroom's graders hand to its reporter.

Source: classroom-resources/autograding-grading-reporter (src/main.js, src/notify-classroom.js) and the graders beside it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from autograder.model import CheckReport, Outcome, Report
from autograder.reports.terminal import details, named, shown

_STATUS = {Outcome.PASSED: "pass", Outcome.GRADER_ERROR: "error"}


def to_output(reports: Sequence[Report]) -> str:
    """The line that a step appends to ``$GITHUB_OUTPUT``: the result in base64, which no text of a submission can break out of."""
    return f"result={base64.b64encode(to_result(reports).encode()).decode()}\n"


def to_result(reports: Sequence[Report]) -> str:
    """The result as JSON.

    An undecided report has status ``error`` and a ``max_score`` of 0: the reporter then fails the job and announces no points.
    """
    decided = all(report.decided for report in reports)
    checks = [(report, check) for report in reports for check in report.checks]
    passed = all(check.outcome is Outcome.PASSED for _, check in checks)
    result = {
        "version": 1,
        "status": ("pass" if passed else "fail") if decided else "error",
        "max_score": sum(report.max_points for report in reports) if decided else 0,
        "tests": [_test(report, check, decided) for report, check in checks],
    }
    return json.dumps(result, indent=2, ensure_ascii=False) + "\n"


def _test(report: Report, check: CheckReport, decided: bool) -> dict[str, Any]:
    return {
        "name": shown(f"{report.slug}: ") + named(check),
        "status": _STATUS.get(check.outcome, "fail"),
        "score": _whole(check.points) if decided else 0,
        "message": details(check),
        "test_code": "",
        "filename": shown(report.submission),
        "line_no": check.line or 0,
        "duration": 0,  # seconds are no part of a report
    }


def _whole(points: float) -> float:
    return int(points) if points == int(points) else points
