"""A graded report as Classroom 50's ``result.json``. Source: foundation50/classroom50, schemas/result-v1.schema.json."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from autograder.model import CheckReport, KitError, Outcome, Report
from autograder.reports.terminal import details, named, number

#: The fields that say whose result it is, and the variables of Classroom 50's runner that hold them: the first one that is set.
IDENTITY: Mapping[str, tuple[str, ...]] = {
    "classroom": ("CLASSROOM",),
    "assignment": ("ASSIGNMENT",),
    "assignment_type": ("ASSIGNMENT_TYPE",),
    "owner": ("OWNER", "USERNAME"),
    "submission": ("SUBMISSION_TAG",),
    "commit": ("COMMIT_URL",),
    "release": ("RELEASE_URL",),
    "review": ("REVIEW_URL", "COMMIT_URL"),
}
_TAG = re.compile(r"submit/(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2})Z\b")


def to_classroom50(report: Report, environment: Mapping[str, str]) -> str:
    """The result of a decided report, for the repository that the runner's variables name.

    Scores are whole numbers there: those of a check with partial points are rounded down, ``points`` has them as they are.
    Raises KitError when a variable is missing.
    """
    tests = [_test(check) for check in report.checks]
    result = {
        "schema": "classroom50/result/v1",
        **{field: _variable(names, environment) for field, names in IDENTITY.items()},
        **_datetime(environment["SUBMISSION_TAG"]),
        "score": sum(test["score"] for test in tests),
        "max-score": report.max_points,
        "tests": tests,
    }
    return json.dumps(result, indent=2, ensure_ascii=False) + "\n"


def _variable(names: tuple[str, ...], environment: Mapping[str, str]) -> str:
    for name in names:
        if environment.get(name):
            return environment[name]
    raise KitError(
        f"Classroom 50's variable {names[0]} is not set, so it is not known whose result this is.",
        "Run it as Classroom 50's runner does: the script of `autograder ci classroom50` hands its variables on.",
    )


def _datetime(tag: str) -> dict[str, str]:
    """When it was handed in (UTC), as the tag says it: the runner puts the commit's own time there, and grading again changes neither."""
    found = _TAG.match(tag)
    return {"datetime": f"{found[1]}:{found[2]}:{found[3]}Z"} if found else {}


def _test(check: CheckReport) -> dict[str, Any]:
    return {
        "test-name": named(check),
        "passed": check.outcome is Outcome.PASSED,
        "score": int(check.points),
        "max-score": check.max_points,
        "points": number(check.points),
        "outcome": check.outcome.value,
        "message": details(check),
    }
