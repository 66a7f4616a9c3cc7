"""What was decided: differences, evidence, the outcome of each check, and the report."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from autograder.wire import Row, Value


class Outcome(enum.StrEnum):
    """What became of a check. A closed set; only PASSED gives full points."""

    PASSED = "PASSED"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"
    TIMEOUT = "TIMEOUT"
    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    TOO_MANY_PROCESSES = "TOO_MANY_PROCESSES"
    TOO_MANY_FILES = "TOO_MANY_FILES"
    TOO_MUCH_OUTPUT = "TOO_MUCH_OUTPUT"
    ERROR = "ERROR"
    GRADER_ERROR = "GRADER_ERROR"


@dataclass(frozen=True)
class Place:
    """Where a line of a notebook's program stands: the cell's name and the line in it, from 1."""

    cell: str
    line: int


@dataclass(frozen=True)
class Difference:
    """The first step at which a replay is not what was expected."""

    step: int
    aspect: Literal["rows", "output", "state", "columns", "types", "table"]
    missing: tuple[Row, ...] = ()
    unexpected: tuple[Row, ...] = ()
    expected: tuple[Row, ...] | None = None
    got: tuple[Row, ...] | None = None
    text: str = ""


@dataclass(frozen=True)
class Evidence:
    """Why a check failed on one fixture, ready to read: rows and steps as text, times in ISO 8601."""

    fixture: str
    says: str
    steps: tuple[str, ...]
    at: int | None
    expected: tuple[str, ...]
    got: tuple[str, ...]
    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckReport:
    """The outcome of one check: ``message`` is what happened, ``hint`` one line to try, ``kind`` what kept a replay from its end.

    ``line`` is the submission's, in a notebook that of the ``cell``.
    """

    id: str
    says: str
    function: str
    hidden: bool
    outcome: Outcome
    points: float
    max_points: int
    message: str = ""
    hint: str = ""
    line: int | None = None
    cell: str = ""
    kind: str = ""
    mistake: str = ""
    diagnosis: str = ""
    evidence: tuple[Evidence, ...] = ()
    printed: str = ""


@dataclass(frozen=True)
class Report:
    """The one record that every writer writes. ``student`` is whose it is; ``audience`` says whether hidden checks are told whole."""

    version: Literal[1]
    kit: str
    spark: str
    slug: str
    title: str
    student: str = field(default="", kw_only=True)
    submission: str
    sha256: str
    parameters: Mapping[str, Value]
    audience: Literal["student", "instructor"]
    sandbox: Literal["bubblewrap", "none", "own machine"]
    points: float
    max_points: int
    checks: tuple[CheckReport, ...]

    @property
    def decided(self) -> bool:
        """Whether every mark is decided; a fault of the grader decides none."""
        return all(check.outcome is not Outcome.GRADER_ERROR for check in self.checks)
