"""Who reads results: their rules as models, a report that has everything to get wrong, and what their runners set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from autograder.grading.redaction import for_student
from autograder.model import CheckReport, Evidence, Outcome, Report
from autograder.reports import classroom50, json_report

NASTY = "a|b <script>alert(1)</script> `x` \x1b[31m ```"
SECRET = "zanzibar"
#: What Classroom 50's runner sets. Source: its wiki, "Advanced Autograding", and runner.py (run_entrypoint).
RUNNER = {
    "CLASSROOM": "streams", "ASSIGNMENT": "toy", "ASSIGNMENT_TYPE": "individual", "OWNER": "alice", "USERNAME": "alice",
    "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d", "COMMIT_URL": "git/commit/a1b2c3d", "RELEASE_URL": "git/releases/1",
    "REVIEW_URL": "git/compare/1",
}  # fmt: skip


def nasty_report(outcomes: Sequence[Outcome] = tuple(Outcome), **changes: Any) -> Report:
    """An instructor's report: a check for each outcome, one with partial points, and one that is hidden and has data to tell."""
    evidence = Evidence(SECRET, SECRET, (f"add {SECRET}",), 0, (SECRET,), (NASTY,), (SECRET,), (NASTY,))
    checks = [
        CheckReport(
            f"c{index}", f"{NASTY} {outcome.value.lower()}", "f", False, outcome, 2.0 if outcome is Outcome.PASSED else 0.0, 2,
            message="" if outcome is Outcome.PASSED else NASTY, printed=NASTY, hint="Look again.",
        )
        for index, outcome in enumerate(outcomes)
    ]  # fmt: skip
    checks.append(CheckReport("partly", "partly right", "f", False, Outcome.FAILED, 1.33, 2, message="half of it"))
    checks.append(
        CheckReport(
            "hidden", "nobody looks", "f", True, Outcome.FAILED, 0.0, 3, SECRET, SECRET, 7, "", "", SECRET, SECRET, (evidence,), SECRET
        )
    )
    points, most = round(sum(check.points for check in checks), 2), sum(check.max_points for check in checks)
    common = ("toy", "A toy", "alice.py", "00", {"least": 1}, "instructor", "bubblewrap", points, most, tuple(checks))
    whole = Report(1, "0", "0", *common, student="alice")
    return replace(whole, **changes)


DECIDED = for_student(nasty_report([outcome for outcome in Outcome if outcome is not Outcome.GRADER_ERROR]))
UNDECIDED = for_student(nasty_report())


class _Consumer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


_Format = Literal["text", "html", "simple_format", "md", "ansi"]
_Visibility = Literal["hidden", "after_due_date", "after_published", "visible"]


class GradescopeTest(_Consumer):
    """One of its tests."""

    score: Annotated[float, Field(ge=0)]
    max_score: float
    status: Literal["passed", "failed"]
    name: str
    number: Annotated[str, Field(pattern=r"^\d+\.\d+$")]
    output: str
    extra_data: dict[str, Any]


class Gradescope(_Consumer):
    """Source: Gradescope's autograder specifications, "Output format"; it publishes no schema and no code."""

    score: float | None = None
    output: str
    output_format: _Format
    test_output_format: _Format | None = None
    test_name_format: _Format | None = None
    visibility: _Visibility | None = None
    stdout_visibility: _Visibility
    extra_data: dict[str, Any] | None = None
    tests: list[GradescopeTest] | None = None


class ClassroomTest(_Consumer):
    """One of its tests."""

    name: str
    status: Literal["pass", "fail", "error"]
    score: float
    message: str
    test_code: str
    filename: str
    line_no: int
    duration: int


class Classroom(_Consumer):
    """Source: the graders and the reporter of classroom-resources; they are actions and no package."""

    version: Literal[1]
    status: Literal["pass", "fail", "error"]
    max_score: int
    tests: Annotated[list[ClassroomTest], Field(min_length=1)]


_TEXT = {"type": "string", "minLength": 1}
_COUNT = {"type": "integer", "minimum": 0}
#: Source: foundation50/classroom50, schemas/result-v1.schema.json, by its rules.
CLASSROOM50 = {
    "type": "object",
    "additionalProperties": False,
    "required": ["schema", *classroom50.IDENTITY, "datetime", "score", "max-score", "tests"],
    "properties": {
        "schema": {"const": "classroom50/result/v1"},
        **dict.fromkeys(classroom50.IDENTITY, _TEXT),
        "assignment_type": {"enum": ["individual", "group"]},
        "submission": {"type": "string", "pattern": "^submit/"},
        "datetime": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$"},
        "score": _COUNT,
        "max-score": _COUNT,
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["test-name", "passed", "score", "max-score"],
                "properties": {"test-name": _TEXT, "passed": {"type": "boolean"}, "score": _COUNT, "max-score": _COUNT},
            },
        },
    },
}


def announced(results: Sequence[dict[str, Any]]) -> tuple[float, int] | None:
    """The points that the reporter announces. Source: classroom-resources/autograding-grading-reporter, src/notify-classroom.js."""
    counted = [result for result in results if result["max_score"]]
    points = sum(test["score"] for result in counted for test in result["tests"]), sum(result["max_score"] for result in counted)
    return points if points[1] else None


def saved(folder: Path, report: Report, *parts: str) -> Path:
    path = folder.joinpath(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json_report.to_json(report))
    return path
