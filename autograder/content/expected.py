"""The trusted half of an assignment, ``solutions/<slug>/expected.py``: load it, and join fixtures to the oracle."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias, assert_never, get_args

from autograder import oracle, wire
from autograder.content.fixtures import SCALAR
from autograder.content.mistakes import Emits, bound
from autograder.model import (
    Add,
    Batch,
    Call,
    DeleteRecords,
    Expectation,
    Fixture,
    Flush,
    Join,
    KafkaStep,
    Kill,
    KillBroker,
    KitError,
    Leave,
    MakeTopic,
    Mistake,
    Observe,
    Passes,
    Restart,
    SendRecords,
    StartBroker,
    StepOutput,
    StopBroker,
    TopicRecord,
    Until,
    Value,
)

#: Stands in a reading for a thing that JSON cannot carry.
NOT_JSON = wire.NOT_JSON


def load(path: Path) -> Expectation:
    """The ``EMITS`` and ``MISTAKES`` of an ``expected.py``. Raises KitError when the file does not define them."""
    spec = importlib.util.spec_from_file_location(f"expected_{path.parent.name}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise KitError(f"{path} is missing.", "Write it: EMITS and MISTAKES by function, see CONTRIBUTING.md.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        return _expectation(module.EMITS, module.MISTAKES)
    except Exception as error:
        line = error.lineno if isinstance(error, SyntaxError) else _line(error, path)
        raise KitError(f"{path}:{line}: {type(error).__name__}: {error}", "It defines EMITS and MISTAKES, see CONTRIBUTING.md.") from error


def _expectation(emits: Mapping[str, Emits], mistakes: Mapping[str, Iterable[Mistake]]) -> Expectation:
    for name in mistakes:
        if name not in emits:
            raise ValueError(f"MISTAKES has {name!r}, and EMITS does not: it has {', '.join(emits) or 'nothing'}")
    return Expectation(dict(emits), {name: bound(found, emits[name]) for name, found in mistakes.items()})


def _line(error: BaseException, path: Path) -> int:
    line, trace = 1, error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


#: What is done to a query before it is replayed: nothing, but while mutations are tried.
_CHANGE: ContextVar[Callable[[oracle.Query], oracle.Query]] = ContextVar("change", default=lambda query: query)


@contextlib.contextmanager
def changing(change: Callable[[oracle.Query], oracle.Query]) -> Iterator[None]:
    """Have every query of this context changed before it is replayed. Within another such context, what that does follows."""
    outer = _CHANGE.get()
    token = _CHANGE.set(lambda query: outer(change(query)))
    try:
        yield
    finally:
        _CHANGE.reset(token)


def structured(query: oracle.Query, fixture: Fixture, source: str | None = None) -> tuple[StepOutput, ...]:
    """What a Structured Streaming query emits at every step of a fixture, on its only source or on the one that is named.

    Raises KitError when the fixture has several sources and none is named, or none of that name.
    """
    name = _source(fixture, source)
    query = _CHANGE.get()(query)
    steps = [_oracle_step(step, name) for step in fixture.steps]
    batches = oracle.replay(query, steps, "step" if fixture.drive.no_data_batches else "staged")
    by_step = {step: tuple(found) for step, found in groupby(batches, key=lambda batch: batch.step)}
    return tuple(
        StepOutput(tuple(Batch(tuple(b.rows), b.watermark_ms, b.dropped, b.state_rows) for b in by_step.get(index, ())))
        for index in range(len(fixture.steps))
    )


def _source(fixture: Fixture, named: str | None) -> str:
    names = list(fixture.schemas)
    if named is None and len(names) == 1:
        return names[0]
    if named is not None and named in names:
        return named
    what = f"has no source {named!r}" if named else f"has {len(names)} sources and expected.py names none"
    raise KitError(f"Fixture {fixture.name!r} {what}; it has: {', '.join(names)}.", "Name one in expected.py: source=….")


def _oracle_step(step: object, source: str) -> Any:
    match step:
        case Add(rows=rows) | Flush(rows=rows):
            return list(rows.get(source, ()))
        case Restart(crash=crash):
            return oracle.CRASH if crash else oracle.RESTART
    raise TypeError(f"{step!r} is no step of a stream")


def select(*columns: str, **renamed: str) -> oracle.Each:
    """``select`` behind an aggregation: these columns, and ``new="old"`` ones under another name.

    A column that the query does not have is null, for a mistake may group by fewer.
    """
    wanted = {name: name for name in columns} | renamed
    return oracle.Each(lambda row: [{new: row.get(old) for new, old in wanted.items()}])


def batches(fixture: Fixture, source: str | None = None) -> list[list[Any]]:
    """The batches of a DStream fixture, of its only source or of the one that is named.

    Elements are plain values, or tuples where a row has several columns. Raises KitError as ``structured`` does.
    """
    name = _source(fixture, source)
    found = [step.rows.get(name, ()) for step in fixture.steps if isinstance(step, Add)]
    return [[row[SCALAR] if set(row) == {SCALAR} else tuple(row.values()) for row in rows] for rows in found]


def dstream(outputs: Sequence[Iterable[Any] | None], columns: Sequence[str]) -> tuple[StepOutput, ...]:
    """DStream outputs, one entry a batch (None: no output at that time), as rows with these columns."""
    return tuple(StepOutput(() if found is None else (Batch(tuple(element_row(e, columns) for e in found)),)) for found in outputs)


def element_row(element: Any, columns: Sequence[str]) -> dict[str, Any]:
    """A DStream element as a row: a tuple of as many values as columns, or a single value."""
    values = element if isinstance(element, tuple) and len(columns) > 1 else (element,)
    return dict(zip(columns, values, strict=True))


@dataclass(frozen=True)
class Either:
    """Answers that are equally right."""

    answers: tuple[Any, ...]


def either(*answers: Any) -> Either:
    """Answers of which each is right. The first is what a report tells."""
    return Either(answers)


def plain(answers: Iterable[Any]) -> tuple[StepOutput, ...]:
    """What a plain function returns, one answer a step, or several that are right (``either``)."""
    return tuple(_answered(*(answer.answers if isinstance(answer, Either) else (answer,))) for answer in answers)


def _answered(first: Any, *others: Any) -> StepOutput:
    return StepOutput((Batch(({"result": first},)),), tuple(({"result": other},) for other in others))


def kafka(fixture: Fixture, call: Callable[..., object] | None = None, **parameters: Value) -> tuple[StepOutput, ...]:
    """What the steps of a fixture for Kafka tell, on a model of a cluster: one StepOutput a step.

    ``call(cluster, step, **parameters)`` does to the ``oracle.Cluster`` what the function does, and returns what it returns. Members
    handle and commit everything. Raises KitError when a step calls the function and ``call`` is not given.
    """
    cluster = oracle.Cluster(str(parameters.get("topic", "topic")), str(parameters.get("group", "group")))
    events = _Events(cluster, call or _no_call(fixture), parameters)
    found = [events.tell(step) for step in fixture.steps if isinstance(step, get_args(KafkaStep))]
    return tuple(StepOutput(() if facts is None else (Batch(tuple(facts)),)) for facts in found)


def readings(cluster: oracle.Cluster, step: Call) -> Iterator[dict[str, Any]]:
    """The readings that a call is given; where the step says so, the leader is killed before one of them."""
    for number, reading in enumerate(step.readings):
        if step.kill_leader and number == (step.pause_at or 0):
            cluster.stop_broker()
        yield reading


def handler(step: Call | Join) -> tuple[int, int]:
    """At which record the handler of a step ends its program, before it is handled and after it: what ``Cluster.handle`` takes."""
    return step.handle.raises_at or step.handle.dies_while, step.handle.dies_after


def _no_call(fixture: Fixture) -> Callable[..., object]:
    def call(*_: object, **__: object) -> object:
        raise KitError(
            f"Fixture {fixture.name!r} calls a function that expected.py has no rule for.", "Give it: kafka(fixture, call, **parameters)."
        )

    return call


#: What happens without a fact.
_Silent: TypeAlias = MakeTopic | SendRecords | Join | Kill | Until | Passes | DeleteRecords | StopBroker | KillBroker | StartBroker


@dataclass(frozen=True)
class _Events:
    """The steps of a fixture, as they happen on a cluster to a function with these parameters."""

    cluster: oracle.Cluster
    call: Callable[..., object]
    parameters: Mapping[str, Value]

    def tell(self, step: KafkaStep) -> list[oracle.Fact] | None:
        """One step; the facts that it tells, or None."""
        match step:
            case Call():
                return [oracle.fact(step.name, self.called(step))]
            case Leave(name):
                self.cluster.leave(name)
                return [oracle.fact(name, "returned None")]
            case Observe(what):
                return self.cluster.observe(what)
            case _:
                self.happens(step)
                return None

    def called(self, step: Call) -> str:
        """How a call ends, in words."""
        given: dict[str, Any] = {**self.parameters, **step.parameters, "group": step.group or self.cluster.group}
        try:
            return f"returned {self.call(self.cluster, step, **{name: given[name] for name in self.parameters})!r}"
        except oracle.StoppedError:
            return "raised what the handler raised" if step.handle.raises_at else "died where the fixture ends it"

    def happens(self, step: _Silent) -> None:
        """A step that tells nothing."""
        match step:
            case MakeTopic(partitions, name, replication, settings):
                self.cluster.make_topic(partitions, replication, {"retention.ms": "-1", **settings}, name)
            case SendRecords(records):
                self.sent(records)
            case Join():
                self.joined(step)
            case Kill(name):
                self.cluster.leave(name)
            case Until():
                self.cluster.members_handle()
            case Passes():
                pass
            case DeleteRecords(partition, before):
                self.cluster.delete_records(partition, before)
            case StopBroker() | KillBroker():
                self.cluster.stop_broker()
            case StartBroker():
                self.cluster.start_broker()
            case _:
                assert_never(step)

    def sent(self, records: Iterable[TopicRecord]) -> None:
        """Records arrive."""
        for each in records:
            headers = [(name, value.encode()) for name, value in each.headers.items()]
            key, value = (None if text is None else text.encode() for text in (each.key, each.value))
            self.cluster.send(key, value, each.at or None, partition=each.partition, headers=headers, topic=each.topic)

    def joined(self, step: Join) -> None:
        """A member joins; one whose handler ends it handles what is there, and is gone once it has come that far."""
        self.cluster.join(step.name, step.group)
        if any(handler(step)):
            try:
                self.cluster.handle(step.group, *handler(step))
            except oracle.StoppedError:
                self.cluster.leave(step.name)
