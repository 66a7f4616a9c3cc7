"""What a replay observed, what was expected, and the known mistakes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from autograder.wire import Failure, Row, Value


@dataclass(frozen=True)
class Batch:
    """One trigger's output. ``watermark`` in ms; None where the engine has no such thing."""

    rows: tuple[Row, ...]
    watermark: int | None = None
    dropped: int | None = None
    state: int | None = None


@dataclass(frozen=True)
class StepOutput:
    """What one step emitted. ``batches`` is empty when there was no output at that time.

    ``also`` are rows that would be as right where something is expected.
    """

    batches: tuple[Batch, ...]
    also: tuple[tuple[Row, ...], ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows of the step, in order of emission."""
        return tuple(row for batch in self.batches for row in batch.rows)

    @property
    def state(self) -> int | None:
        """The rows held in state when the step ended."""
        return self.batches[-1].state if self.batches else None


@dataclass(frozen=True)
class Observation:
    """What a replay wrote down. ``columns`` are (name, Spark type) pairs of the result, when it has any."""

    steps: tuple[StepOutput, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    failure: Failure | None = None
    printed: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Mistake:
    """A known mistake: what a program that makes it would emit, or the failure it would run into.

    ``emits`` has the signature of an expectation. ``failure`` is (kind, words of the error text).
    """

    id: str
    says: str
    emits: Callable[..., tuple[StepOutput, ...]] | None = None
    failure: tuple[str, str] | None = None


@dataclass(frozen=True)
class Expectation:
    """The oracle's part of an assignment: by function, what is emitted on a fixture, and known mistakes.

    ``released``: in a release, the only values of the parameters that there are answers for; None where any will do.
    """

    emits: Mapping[str, Callable[..., tuple[StepOutput, ...]]]
    mistakes: Mapping[str, tuple[Mistake, ...]] = field(default_factory=dict)
    released: Mapping[str, Value] | None = None
