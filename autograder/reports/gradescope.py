"""Graded reports as Gradescope's ``results.json``. Source: Gradescope's autograder specifications, "Output format"."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from autograder.model import CheckReport, Outcome, Report
from autograder.reports.terminal import details, named, result, shown

#: What a student reads instead of a mark. Without ``score`` and ``tests`` Gradescope takes the run for failed and gives no zero.
UNDECIDED = "Nothing is decided: the grader failed, not your program. Tell your instructor, who finds the reason in the autograder's log."


def to_gradescope(reports: Sequence[Report]) -> str:
    """The reports of one submission, as students may see them, as one ``results.json``.

    All of it is plain text, and every test is visible: one hidden test would hide the total from students, so hidden checks are
    told by name, outcome and points, which is all that a student's report holds of them.
    """
    result: dict[str, Any] = {"output_format": "text", "stdout_visibility": "hidden"}
    if not all(report.decided for report in reports):
        return _json({"output": UNDECIDED, **result})
    tests = [_test(check, f"{at}.{index}") for at, report in enumerate(reports, 1) for index, check in enumerate(report.checks, 1)]
    result |= {"test_output_format": "text", "test_name_format": "text", "visibility": "visible"}
    result |= {
        "score": round(sum(test["score"] for test in tests), 2),
        "extra_data": {"reports": [_identity(report) for report in reports]},
    }
    return _json({"output": "\n".join(map(_sentence, reports)), **result, "tests": tests})


def _sentence(report: Report) -> str:
    return shown(f"{report.title} ({report.slug}): {result(report)}")


def _identity(report: Report) -> dict[str, Any]:
    """What was graded, and with what: enough to grade it again."""
    names = ("kit", "spark", "slug", "student", "submission", "sha256", "sandbox")
    return {**{name: getattr(report, name) for name in names}, "parameters": dict(report.parameters)}


def _test(check: CheckReport, place: str) -> dict[str, Any]:
    return {
        "name": named(check),
        "number": place,
        "score": check.points,
        "max_score": check.max_points,
        "status": "passed" if check.outcome is Outcome.PASSED else "failed",
        "output": details(check),
        "extra_data": {"id": check.id, "outcome": check.outcome.value},
    }


def _json(result: dict[str, Any]) -> str:
    return json.dumps(result, indent=2, ensure_ascii=False) + "\n"
