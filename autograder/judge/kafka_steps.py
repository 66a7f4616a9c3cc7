"""The steps of a Kafka fixture in words, as a student reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from autograder.model import (
    Call,
    DeleteRecords,
    Join,
    KafkaStep,
    Kill,
    KillBroker,
    Leave,
    MakeTopic,
    Observe,
    Passes,
    SendRecords,
    StartBroker,
    StopBroker,
    TopicRecord,
    Until,
)

_MOST = 4


def kafka_step_text(step: KafkaStep) -> str:  # noqa: PLR0911, PLR0912  # one case a kind
    """One step in words."""
    match step:
        case MakeTopic(partitions, name, replication, settings):
            parts = f"{_count(partitions, 'partition')}, {_count(replication, 'replica')}"
            return f"there is a topic{f' {name}' if name else ''} with {parts}{''.join(f', {n} = {v}' for n, v in settings.items())}"
        case SendRecords(records):
            arrive = f"arrive{'s' * (len(records) == 1)}"
            return f"{_count(len(records), 'record')} {arrive}: {_some([_record(record) for record in records])}"
        case Call():
            return f"your function is called{_group(step)}{_more(step)}"
        case Join():
            return f"{step.name} starts{_group(step)}{_more(step)}"
        case Leave(name):
            return f"{name} is told to stop: running() is False"
        case Kill(name):
            return f"{name} is killed (SIGKILL)"
        case Until():
            return "until every record is handled"
        case Passes(what):
            return f"the {what} passes"
        case DeleteRecords(partition, before):
            return f"retention removes the records of partition {partition} before offset {before}"
        case StopBroker(which):
            return f"the broker of the partition's {which} stops"
        case KillBroker(which):
            return f"the broker of the partition's {which} is killed"
        case StartBroker():
            return "the broker is there again"
        case Observe(what):
            return f"look at: {', '.join(name.replace('_', ' ') for name in what)}"


def _record(record: TopicRecord) -> str:
    where = "" if record.partition is None else f" in partition {record.partition}"
    return f"{record.key}: {record.value}{where}{f' of {record.topic}' if record.topic else ''}"


def _group(step: Call | Join) -> str:
    return f" in group {step.group}" if step.group else ""


def _more(step: Call | Join) -> str:
    parts = [f"{name} = {value!r}" for name, value in step.parameters.items()]
    if step.readings:
        parts.append(f"{_count(len(step.readings), 'reading')}: {_some([_reading(reading) for reading in step.readings])}")
    parts += [f"at its record {number} {text}" for name, text in _HANDLER.items() if (number := getattr(step.handle, name))]
    if step.kill_leader:
        parts.append(f"the leader is killed before reading {(step.pause_at or 0) + 1}")
    return "".join(f"; {part}" for part in parts)


_HANDLER = {
    "raises_at": "the handler raises",
    "dies_while": "the process is killed while handling it",
    "dies_after": "the process is killed after handling it",
}


def _reading(reading: Mapping[str, Any]) -> str:
    values = [_moment(value) if name == "at" and isinstance(value, int) else str(value) for name, value in reading.items()]
    return f"({', '.join(values)})"


def _moment(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


def _some(texts: Sequence[str]) -> str:
    return ", ".join(texts if len(texts) <= _MOST else [*texts[: _MOST - 1], "…", texts[-1]])
