"""Replay a stream through a query: batches, watermark, late rows, eviction, output modes.

Source: streams' rules as run on Spark 4.3.0 (MicroBatchExecution, WatermarkTracker, StateStoreSaveExec,
StreamingDeduplicateExec, SessionWindowStateStoreSaveExec), compared by tests/oracle.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from autograder.oracle.plan import Aggregate, Deduplicate, Each, Mode, Query, Row, Session, Top, Watermark
from autograder.oracle.stateful import Deduplication, SessionAggregation, Stateless, WindowAggregation
from autograder.oracle.time import milliseconds


@dataclass(frozen=True)
class _Marker:
    name: str


#: Steps beside rows: the query is stopped and started again; it dies after a batch's sink ran and before its commit.
RESTART: Final = _Marker("restart")
CRASH: Final = _Marker("crash")


@dataclass(frozen=True)
class Batch:
    """What one trigger did. ``watermark_ms`` is the one it evicted with, as its progress reports it."""

    step: int
    batch_id: int
    data: bool
    rows: tuple[Row, ...]
    watermark_ms: int
    dropped: int
    state_rows: int


class _Operator(Protocol):
    """The one operator that may keep state."""

    def run(self, rows: list[Row], late: int, evict: int) -> tuple[list[Row], int]: ...
    def runs_again(self, mode: Mode) -> bool: ...
    def size(self) -> int: ...


class _Execution:
    """A query under way: the tracked watermark, the two that a batch uses, the operator's state."""

    def __init__(self, query: Query, crashes: bool) -> None:
        self.query, self.crashes = query, crashes
        self.operator = _operator(query)
        self.marks = [op for op in query.operators if isinstance(op, Watermark)]
        self.tracked = 0
        self.previous = 0
        self.batch_id = 0
        self.fresh = True
        self.last: tuple[_Execution, list[Row], bool] | None = None

    def run(self, step: int, rows: list[Row], data: bool) -> Batch:
        """One trigger: late rows by the batch before's watermark, eviction by this one's, then the watermark moves."""
        self.last = None
        before = copy.deepcopy(self) if self.crashes else self
        evict, late = self.tracked, self.previous
        passed, seen = self._upstream(rows)
        out, dropped = self.operator.run(passed, late, evict)
        batch = Batch(step, self.batch_id, data, tuple(self._downstream(out)), evict, dropped, self.operator.size())
        if self.marks and seen:
            self.tracked = max(self.tracked, max(seen) - self.marks[0].delay // 1000)
        self.previous, self.batch_id, self.fresh = evict, self.batch_id + 1, False
        self.last = (before, rows, data)
        return batch

    def wants_another(self) -> bool:
        """Whether a batch without data follows: the watermark moved and the operator waits for it."""
        return not self.fresh and self.tracked > self.previous and self.operator.runs_again(self.query.mode)

    def _upstream(self, rows: list[Row]) -> tuple[list[Row], list[int]]:
        seen: list[int] = []
        for operator in self.query.operators:
            if isinstance(operator, Watermark):
                seen = [milliseconds(row[operator.column]) for row in rows]
            elif isinstance(operator, Each):
                rows = [new for row in rows for new in operator.function(row)]
            else:
                break
        return rows, seen

    def _downstream(self, rows: list[Row]) -> list[Row]:
        behind = False
        for operator in self.query.operators:
            if isinstance(operator, Each) and behind:
                rows = [new for row in rows for new in operator.function(row)]
            elif isinstance(operator, Top):
                rows = sorted(rows, key=operator.order)[: operator.n]
            behind = behind or isinstance(operator, (Aggregate, Deduplicate))
        return rows


def _operator(query: Query) -> _Operator:
    marks = [op for op in query.operators if isinstance(op, Watermark)]
    for index, operator in enumerate(query.operators):
        mark = next((m for m in marks if query.operators.index(m) < index), None)
        if isinstance(operator, Deduplicate):
            return Deduplication(operator, mark)
        if isinstance(operator, Aggregate) and isinstance(operator.window, Session):
            return SessionAggregation(operator, mark, query.mode)
        if isinstance(operator, Aggregate):
            return WindowAggregation(operator, mark, query.mode)
    return Stateless()


def replay(query: Query, steps: Sequence[list[Row] | _Marker], drive: Literal["step", "staged"] = "step") -> tuple[Batch, ...]:
    """The batches that a query runs on a stream.

    ``step``: rows are added and all is processed, with the no-data batches that follow, before the next step.
    ``staged``: no batch without data ever runs, as when the rows wait in line (noDataMicroBatches off).
    """
    return tuple(_replay(query, steps, drive))


def _replay(query: Query, steps: Sequence[list[Row] | _Marker], drive: str) -> Iterator[Batch]:
    execution = _Execution(query, CRASH in steps)
    for index, step in enumerate(steps):
        if isinstance(step, _Marker):
            yield from _again(execution, index, step)
        elif step:
            yield execution.run(index, step, data=True)
        if drive == "step" and execution.wants_another():
            yield execution.run(index, [], data=False)


def _again(execution: _Execution, index: int, step: _Marker) -> Iterator[Batch]:
    """After a restart; a crash runs the newest batch once more, with the state that it found the first time."""
    if step is CRASH and execution.last is not None:
        before, rows, data = execution.last
        vars(execution).update(vars(copy.deepcopy(before)))
        yield execution.run(index, rows, data)
    else:
        execution.fresh = True
