"""The trusted end of the door: sends replay requests to the child and reads its observations, line by line."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import select
import threading
import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any

from pydantic import Field, ValidationError

from autograder import door
from autograder.broker.engine import KafkaEngine, results
from autograder.door import Strict, TroubleLine
from autograder.model import (
    Add,
    Ask,
    Batch,
    Flush,
    GraderFaultError,
    Observation,
    Request,
    Restart,
    Row,
    Step,
    StepOutput,
    Trouble,
)
from autograder.replay.worker import MB
from autograder.sandbox.bubblewrap import Sandbox

#: Seconds without a sign of life beyond a replay's own limit.
_GRACE = 120


def _wire(request: Request, number: int) -> dict[str, Any]:
    """The request as the child reads it: inputs only, nothing of what is expected."""
    function = request.function
    return {
        "id": number,
        "source": request.source,
        "function": function.name,
        "engine": function.engine,
        "sources": list(function.sources),
        "schemas": dict(request.fixture.schemas),
        "parameters": {name: request.parameters[name] for name in function.parameters},
        "gives": list(function.gives),
        "mode": function.mode,
        "drive": request.fixture.drive,
        "steps": [_wire_step(step) for step in request.fixture.steps],
        "time_limit": request.time_limit,
        "limits": dataclasses.asdict(request.limits),
    }


def _wire_step(step: Step) -> dict[str, Any]:
    match step:
        case Add(rows=rows) | Flush(rows=rows):
            return {"add": {source: list(found) for source, found in rows.items()}}
        case Restart(crash=crash):
            return {"restart": crash}
        case Ask(arguments=arguments):
            return {"ask": list(arguments)}
    raise TypeError(f"{step!r} is no step of a stream")


class _Batch(Strict):
    rows: list[list[Any]]
    watermark: int | None = None
    dropped: int | None = None
    state: int | None = None


class _Answer(Strict):
    """What may come through the door."""

    id: int
    seconds: float = 0.0
    printed: str = Field(default="", max_length=10_000)
    columns: list[tuple[str, str]] = Field(default_factory=list)
    steps: list[list[_Batch]] = Field(default_factory=list)
    trouble: TroubleLine | None = None
    fault: str | None = None


class Engine:
    """A child process with its JVM, and brokers where they are needed. Use it as a context manager; it leaves no process behind.

    With ``kafka`` the brokers are somebody else's, who closes them; else they are its own.
    """

    def __init__(self, workers: int = 0, kafka: KafkaEngine | None = None, sandbox: Sandbox | None = None) -> None:
        self._kafka = kafka or KafkaEngine(sandbox=sandbox)
        self._owns_kafka = kafka is None
        self._sandbox = sandbox
        self._workers = workers or max(2, min(4, os.cpu_count() or 2))
        self._child: door.Child | None = None
        self._buffer = b""
        self._serial = 0

    @property
    def confined(self) -> bool:
        """Whether what it replays is confined."""
        return self._sandbox is not None

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def start(self) -> door.Child:
        """Start the child; it starts its JVM with the first replay that needs one."""
        self._child = door.start("autograder.replay.child", str(self._workers), sandbox=self._sandbox)
        return self._child

    def observe(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Observation | GraderFaultError]]:
        """The observation of each request, as they come. A fault of ours comes as GraderFaultError, never as a result."""
        on_kafka = [request for request in requests if request.function.engine == "kafka"]
        futures = self._kafka.submit(on_kafka)
        try:
            yield from self._on_spark([request for request in requests if request.function.engine != "kafka"])
            yield from results(futures)
        finally:
            for future in futures:
                future.cancel()

    def _on_spark(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Observation | GraderFaultError]]:
        """The observations. When the child is lost, what is left is asked again, one by one: then it is known whose fault it was."""
        if not requests:
            return
        try:
            child = self._child or self.start()
        except OSError as error:
            yield from ((request, GraderFaultError(f"The replay's process cannot be started: {error}")) for request in requests)
            return
        open_requests = {self._serial + number: request for number, request in enumerate(requests)}
        self._serial += len(requests)
        lines = [json.dumps(_wire(request, number)) for number, request in open_requests.items()]
        threading.Thread(target=_send, args=(child, "\n".join(lines) + "\n"), daemon=True).start()
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
                yield from self._on_spark([request])
            elif lost:
                yield request, Observation(trouble=Trouble(lost, text=str(request.time_limit)))
            else:
                yield request, GraderFaultError("The replay's process ended before it answered.")

    def _line(self, child: door.Child, patience: float, most: int) -> bytes:
        deadline = time.monotonic() + patience
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([child.reading], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise _LostError("timeout")
            data = os.read(child.reading, 1 << 16)
            if not data:
                raise _LostError(child.fate())
            self._buffer += data
            if len(self._buffer) > most:
                raise _LostError("too_much_output")
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line

    def close(self) -> None:
        """End what this engine has started; no process is left."""
        if self._owns_kafka:
            self._kafka.close()
        self._end_child()

    def _end_child(self) -> None:
        """End the child; it ends its JVM and workers, and a JVM without a child ends by itself."""
        if self._child:
            self._child.end()
        self._child, self._buffer = None, b""


class _LostError(Exception):
    """The child does not answer any more; its text is the kind of trouble if a submission did it."""


def _send(child: door.Child, text: str) -> None:
    with contextlib.suppress(OSError):  # a child that is gone is noticed where its answers are read
        child.send(text)


def _parse(line: bytes, requests: dict[int, Request]) -> tuple[int, Observation | GraderFaultError]:
    try:
        answer = _Answer.model_validate_json(line)
    except ValidationError:
        return _number(line), Observation(trouble=Trouble("broken_observation"))
    if answer.fault is not None:
        return answer.id, GraderFaultError(answer.fault)
    if answer.id not in requests:
        return answer.id, Observation(trouble=Trouble("broken_observation"))
    return answer.id, _observation(answer, requests[answer.id])


def _number(line: bytes) -> int:
    try:
        return int(json.loads(line)["id"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):  # 1e999 is a number for JSON
        return -1


def _observation(answer: _Answer, request: Request) -> Observation:
    trouble = Trouble(**answer.trouble.model_dump()) if answer.trouble else None
    common = {"printed": answer.printed, "seconds": answer.seconds}
    if trouble is None and len(answer.steps) != len(request.fixture.steps):
        trouble = Trouble("broken_observation")
    if trouble is not None:
        return Observation(trouble=trouble, **common)  # type: ignore[arg-type]  # str and float by name
    try:
        steps = tuple(StepOutput(tuple(_batch(batch, answer, request) for batch in batches)) for batches in answer.steps)
    except _ShapeError as error:
        return Observation(trouble=Trouble("wrong_elements", text=str(error)), **common)  # type: ignore[arg-type]  # as above
    return Observation(steps, tuple(answer.columns), None, answer.printed, answer.seconds)


class _ShapeError(Exception):
    pass


def _batch(batch: _Batch, answer: _Answer, request: Request) -> Batch:
    names = [name for name, _ in answer.columns] or list(request.function.columns)
    return Batch(tuple(_row(cells, names) for cells in batch.rows), batch.watermark, batch.dropped, batch.state)


def _row(cells: list[Any], names: list[str]) -> Row:
    if len(cells) != len(names):
        raise _ShapeError(f"{tuple(cells)!r}, not ({', '.join(names)})"[:300])
    return dict(zip(names, cells, strict=True))
