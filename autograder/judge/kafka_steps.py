"""The steps of a Kafka fixture in words, as a student reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

_MOST = 4


def event_text(kind: str, data: Any) -> str:  # noqa: PLR0911, PLR0912  # one case a kind
    """One step in words."""
    match kind:
        case "topic":
            settings = "".join(f", {name} = {value}" for name, value in data["settings"].items())
            name = f" {data['name']}" if data["name"] else ""
            parts = f"{_count(data['partitions'], 'partition')}, {_count(data['replication'], 'replica')}"
            return f"there is a topic{name} with {parts}{settings}"
        case "records":
            return f"{_count(len(data), 'record')} arrive{'s' * (len(data) == 1)}: {_some([_record(record) for record in data])}"
        case "call":
            return f"your function is called{_group(data)}{_more(data)}"
        case "join":
            return f"{data['name']} starts{_group(data)}{_more(data)}"
        case "leave":
            return f"{data} is told to stop: running() is False"
        case "kill":
            return f"{data} is killed (SIGKILL)"
        case "until":
            return "until every record is handled"
        case "passes":
            return "the session timeout passes"
        case "delete_records":
            return f"retention removes the records of partition {data['partition']} before offset {data['before']}"
        case "stop_broker":
            return f"the broker of the partition's {data} stops"
        case "kill_broker":
            return f"the broker of the partition's {data} is killed"
        case "start_broker":
            return "the broker is there again"
        case _:
            return f"look at: {', '.join(name.replace('_', ' ') for name in data)}"


def _record(record: Mapping[str, Any]) -> str:
    where = "" if record["partition"] is None else f" in partition {record['partition']}"
    return f"{record['key']}: {record['value']}{where}{' of ' + record['topic'] if record['topic'] else ''}"


def _group(data: Mapping[str, Any]) -> str:
    return f" in group {data['group']}" if data["group"] else ""


def _more(data: Mapping[str, Any]) -> str:
    parts = [f"{name} = {value!r}" for name, value in data["parameters"].items()]
    if data["readings"]:
        parts.append(f"{_count(len(data['readings']), 'reading')}: {_some([_reading(reading) for reading in data['readings']])}")
    for name, text in _HANDLER.items():
        if data["handle"][name]:
            parts.append(f"at its record {data['handle'][name]} {text}")
    if data["kill_leader"]:
        parts.append(f"the leader is killed before reading {data['pause_at'] + 1}")
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
