"""Replays in Spark's process: the trusted end sends requests to the supervisor and reads its answers, line by line."""

from __future__ import annotations

import contextlib
import json
import os
import select
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from autograder.engines.base import Observed
from autograder.machine import classcache
from autograder.machine.clock import Clock
from autograder.machine.java import find_java
from autograder.machine.paths import MB
from autograder.machine.progress import Progress
from autograder.model import Add, Ask, Batch, Failure, Flush, GraderFaultError, Observation, Request, Restart, Row, Step, StepOutput
from autograder.sandbox import process
from autograder.sandbox.bubblewrap import Sandbox
from autograder.wire import BROKEN, ReplayAnswer, ReplayRequest, ReplayStep, answer_in, to_line
from autograder.wire import Batch as WireBatch

#: Seconds without a sign of life beyond a replay's own limit.
_GRACE = 120
#: Seconds between two looks at the clock.
_LOOK = 0.5


def prepare(progress: Progress) -> Path | None:
    """Java is there, and Spark's class cache where it can be made; its path. Raises KitError without a suitable Java."""
    return classcache.ensure(find_java(), progress)


def _wire(request: Request, number: int, exclusive: str) -> ReplayRequest:
    """The request as the supervisor reads it: inputs only, nothing of what is expected."""
    function, fixture = request.function, request.fixture
    return ReplayRequest(
        id=number,
        source=request.source,
        function=function.name,
        replay=function.engine,
        sources=function.sources,
        schemas=fixture.schemas,
        parameters={name: request.parameters[name] for name in function.parameters},
        provides=function.provides,
        mode=function.mode,
        steps=tuple(_wire_step(step) for step in fixture.steps),
        time_limit=request.time_limit,
        limits=request.limits,
        no_data_batches=fixture.drive.no_data_batches,
        partitions=fixture.partitions,
        one_at_a_time=exclusive,
    )


def _wire_step(step: Step) -> ReplayStep:
    match step:
        case Flush(rows=rows):
            return Add(rows)
        case Add() | Restart() | Ask():
            return step
    raise TypeError(f"{step!r} is no step of a stream")


class SparkReplays:
    """The supervisor's process with its JVM, started with the first replay."""

    def __init__(self, sandbox: Sandbox | None = None, workers: int = 0) -> None:
        self._sandbox = sandbox
        self._workers = workers or max(2, min(4, os.cpu_count() or 2))
        self._child: process.Child | None = None
        self._buffer = b""
        self._serial = 0
        self._clock = Clock()

    def _start(self) -> process.Child:
        self._child = process.start("autograder.untrusted.supervisor", str(self._workers), sandbox=self._sandbox)
        return self._child

    def observe(self, requests: Sequence[Request], exclusive: Callable[[Request], str]) -> Iterator[Observed]:
        """The observation of each request, as they come; those for which ``exclusive`` gives one name run one at a time.

        When the process is lost, what is left is asked again, one by one: then it is known whose fault it was.
        """
        if not requests:
            return
        try:
            child = self._child or self._start()
        except OSError as error:
            yield from ((request, GraderFaultError(f"The replay's process cannot be started: {error}")) for request in requests)
            return
        open_requests = {self._serial + number: request for number, request in enumerate(requests)}
        self._serial += len(requests)
        lines = [to_line(_wire(request, number, exclusive(request))) for number, request in open_requests.items()]
        threading.Thread(target=_send, args=(child, "".join(lines)), daemon=True).start()
        patience = max(request.time_limit for request in requests) * 2 + _GRACE
        lost = ""
        while open_requests:
            try:
                line = self._line(child, patience, 2 * requests[0].limits.observation * MB)
                number, found = _parse(line, open_requests)
            except _LostError as error:
                lost = str(error)
                self._end_child()
                break
            if number in open_requests:
                yield open_requests.pop(number), found
        for request in open_requests.values():
            if len(requests) > 1:
                yield from self.observe([request], exclusive)
            elif lost:
                yield request, Observation(failure=Failure(lost, str(request.time_limit)))
            else:
                yield request, GraderFaultError("The replay's process ended before it answered.")

    def _line(self, child: process.Child, patience: float, most: int) -> bytes:
        deadline = self._clock.now() + patience
        while b"\n" not in self._buffer:
            if not select.select([child.reading], [], [], _LOOK)[0]:
                if self._clock.now() > deadline:
                    raise _LostError("timeout")
                continue
            data = os.read(child.reading, 1 << 16)
            if not data:
                raise _LostError(child.fate())
            self._buffer += data
            if len(self._buffer) > most:
                raise _LostError("too_much_output")
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line

    def close(self) -> None:
        """End the process with all that it started; none is left."""
        self._end_child()

    def _end_child(self) -> None:
        """End the child; it ends its JVM and workers, and a JVM without a child ends by itself."""
        if self._child:
            self._child.end()
        self._child, self._buffer = None, b""


class _LostError(Exception):
    """The child does not answer any more; its text is the kind of failure if a submission did it."""


def _send(child: process.Child, text: str) -> None:
    with contextlib.suppress(OSError):  # a child that is gone is noticed where its answers are read
        child.send(text)


def _parse(line: bytes, requests: dict[int, Request]) -> tuple[int, Observation | GraderFaultError]:
    try:
        answer = answer_in(ReplayAnswer, line)
    except ValueError:
        return _number(line), Observation(failure=BROKEN)
    if answer.fault is not None:
        return answer.id, GraderFaultError(answer.fault)
    if answer.id not in requests:
        return answer.id, Observation(failure=BROKEN)
    return answer.id, _observation(answer, requests[answer.id])


def _number(line: bytes) -> int:
    try:
        return int(json.loads(line)["id"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):  # 1e999 is a number for JSON
        return -1


def _observation(answer: ReplayAnswer, request: Request) -> Observation:
    failure = answer.failure
    if failure is None and len(answer.steps) != len(request.fixture.steps):
        failure = BROKEN
    steps: tuple[StepOutput, ...] = ()
    try:
        if failure is None:
            steps = tuple(StepOutput(tuple(_batch(batch, answer, request) for batch in batches)) for batches in answer.steps)
    except _ShapeError as error:
        failure = Failure("wrong_elements", str(error))
    return Observation(steps, () if failure else answer.columns, failure, answer.printed, answer.seconds)


class _ShapeError(Exception):
    pass


def _batch(batch: WireBatch, answer: ReplayAnswer, request: Request) -> Batch:
    names = [name for name, _ in answer.columns] or list(request.function.columns)
    return Batch(tuple(_row(cells, names) for cells in batch.rows), batch.watermark, batch.dropped, batch.state)


def _row(cells: list[object], names: list[str]) -> Row:
    if len(cells) != len(names):
        raise _ShapeError(f"{tuple(cells)!r}, not ({', '.join(names)})"[:300])
    return dict(zip(names, cells, strict=True))
