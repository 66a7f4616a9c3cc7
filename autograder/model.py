"""The domain's nouns as frozen data: what is graded, what came out, what was decided. No I/O."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

#: A cell. Event times are integers: microseconds since the UTC epoch.
Value: TypeAlias = bool | int | float | str | None
#: One row, by column name. A DStream element that is no tuple has the single column ``value``.
Row: TypeAlias = dict[str, Any]
Engine: TypeAlias = Literal["structured", "dstream", "plain", "kafka"]
Compare: TypeAlias = Literal["rows", "runs", "times", "state"]


class KitError(Exception):
    """Something the reader can mend: what happened, and what to do next. Printed as two lines, exit code 2."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}"


class GraderFaultError(Exception):
    """A fault of ours or of this machine, with the text for the instructor."""


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
class Parameter:
    """A value drawn per student: a duration (``"10 minutes"``), a number or a word."""

    name: str
    default: Value
    choices: tuple[Value, ...]
    says: str


@dataclass(frozen=True)
class Function:
    """A function that a student writes, and how the replay calls it.

    It is called with one stream for each of ``sources`` (of the engine ``kafka``: the brokers' address), then with ``parameters``
    and ``gives`` by keyword.
    ``mode`` is the output mode in which the replay runs a returned DataFrame; without one the function
    returns a ``DataStreamWriter`` that has its own. ``columns`` names the result's columns and Spark types.
    """

    name: str
    engine: Engine
    sources: tuple[str, ...]
    parameters: tuple[str, ...]
    gives: tuple[str, ...]
    mode: str | None
    columns: Mapping[str, str]
    ordered: bool

    @property
    def signature(self) -> str:
        """The call as a student reads it: ``name(stream, parameter, …)``."""
        return f"{self.name}({', '.join((*self.sources, *self.parameters, *self.gives))})"


@dataclass(frozen=True)
class Check:
    """One line of the marks: a function replayed on fixtures, compared in one respect."""

    id: str
    says: str
    function: str
    fixtures: tuple[str, ...]
    points: int
    compare: Compare
    needs: tuple[str, ...]
    hints: tuple[str, ...]
    partial: bool
    time_limit: int
    parameters: Mapping[str, Value]
    hidden: bool


@dataclass(frozen=True)
class Limits:
    """What a submission may use. Times in seconds, sizes in megabytes (10^6 bytes).

    ``memory`` and ``processes`` (threads count too) hold for everything that is confined together, Spark included; the others for
    one process of a submission's. PySpark needs about 100 threads.
    """

    submission_time: int = 1200
    cpu_time: int = 120
    memory: int = 4000
    process_memory: int = 1500
    processes: int = 600
    open_files: int = 1024
    scratch: int = 512
    observation: int = 8
    printed_bytes: int = 2000


@dataclass(frozen=True)
class Least:
    """How many accepted and rejected files the proof of an assignment asks for."""

    accepted: int = 6
    rejected: int = 15


@dataclass(frozen=True)
class Assignment:
    """An assignment as its manifest says it."""

    slug: str
    title: str
    summary: str
    order: int
    parameters: Mapping[str, Parameter]
    functions: Mapping[str, Function]
    checks: tuple[Check, ...]
    limits: Limits = Limits()
    least: Least = Least()

    @property
    def max_points(self) -> int:
        """The points of all checks."""
        return sum(check.points for check in self.checks)

    @property
    def visible(self) -> tuple[Check, ...]:
        """The checks that students can run."""
        return tuple(check for check in self.checks if not check.hidden)

    def defaults(self) -> dict[str, Value]:
        """The default value of every parameter."""
        return {name: parameter.default for name, parameter in self.parameters.items()}


@dataclass(frozen=True)
class Variant:
    """What an assignment is graded with: a value for every parameter, and by fixture what is added to the seed of what it draws."""

    parameters: Mapping[str, Value]
    seeds: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Add:
    """Rows that arrive together, by source. For a DStream, one batch."""

    rows: Mapping[str, tuple[Row, ...]]


@dataclass(frozen=True)
class Restart:
    """The query is stopped and started again on its checkpoint.

    ``crash`` loses the last batch's commit, so that this batch runs again under the same batch id.
    """

    crash: bool = False


@dataclass(frozen=True)
class Flush:
    """A far-future row on keys of its own, so that append mode gives up its last windows."""

    rows: Mapping[str, tuple[Row, ...]]


@dataclass(frozen=True)
class Ask:
    """A plain function is called with these arguments; what it returns is the step's only row."""

    arguments: tuple[Value, ...]


@dataclass(frozen=True)
class Event:
    """What happens to a Kafka topic: records, a call, a consumer that joins or is killed, a broker that stops, a look.

    ``kind`` is the step's name in the fixture and ``data`` what stands there, with parameters filled in and times in ms.
    """

    kind: str
    data: Any


Step: TypeAlias = Add | Restart | Flush | Ask | Event


@dataclass(frozen=True)
class Fixture:
    """What is fed to a stream, with parameters filled in. ``schemas`` is a DDL string by source, ``brokers`` how many Kafka needs."""

    name: str
    says: str
    drive: Literal["step", "staged", "batch", "call", "kafka"]
    schemas: Mapping[str, str]
    steps: tuple[Step, ...]
    hidden: bool
    brokers: int = 1


@dataclass(frozen=True)
class Request:
    """One replay to do: a function of a submission's text, on a fixture, with parameters. ``time_limit`` in seconds."""

    source: str
    function: Function
    fixture: Fixture
    parameters: Mapping[str, Value]
    time_limit: int
    limits: Limits = Limits()


@dataclass(frozen=True)
class Batch:
    """One trigger's output. ``watermark`` in ms; None where the engine has no such thing."""

    rows: tuple[Row, ...]
    watermark: int | None = None
    dropped: int | None = None
    state: int | None = None


@dataclass(frozen=True)
class StepOutput:
    """What one step emitted. ``batches`` is empty when there was no output at that time."""

    batches: tuple[Batch, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows of the step, in order of emission."""
        return tuple(row for batch in self.batches for row in batch.rows)

    @property
    def state(self) -> int | None:
        """The rows held in state when the step ended."""
        return self.batches[-1].state if self.batches else None


@dataclass(frozen=True)
class Trouble:
    """Why a replay did not come to its end. ``kind`` is a key of ``judge.messages``; ``line`` of the submission."""

    kind: str
    step: int | None = None
    line: int | None = None
    error: str = ""
    text: str = ""


@dataclass(frozen=True)
class Place:
    """Where a line of a notebook's program stands: the cell's name and the line in it, from 1."""

    cell: str
    line: int


@dataclass(frozen=True)
class Observation:
    """What a replay wrote down. ``columns`` are (name, Spark type) pairs of the result, when it has any."""

    steps: tuple[StepOutput, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    trouble: Trouble | None = None
    printed: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Mistake:
    """A known mistake: what a program that makes it would emit, or the trouble it would run into.

    ``emits`` has the signature of an expectation. ``trouble`` is (kind, words of the error text).
    """

    id: str
    says: str
    emits: Callable[..., tuple[StepOutput, ...]] | None = None
    trouble: tuple[str, str] | None = None


@dataclass(frozen=True)
class Expectation:
    """The oracle's part of an assignment: by function, what is emitted on a fixture, and known mistakes.

    ``released``: in a release, the only values of the parameters that there are answers for; None where any will do.
    """

    emits: Mapping[str, Callable[..., tuple[StepOutput, ...]]]
    mistakes: Mapping[str, tuple[Mistake, ...]] = field(default_factory=dict)
    released: Mapping[str, Value] | None = None


@dataclass(frozen=True)
class Difference:
    """The first step at which a replay is not what was expected."""

    step: int
    aspect: Literal["rows", "output", "state", "columns"]
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
    """The one record that every writer writes. ``audience`` says whether hidden checks are told whole."""

    version: Literal[1]
    kit: str
    spark: str
    slug: str
    title: str
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
