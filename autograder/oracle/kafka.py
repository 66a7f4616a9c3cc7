"""Kafka's rules as far as marks depend on them, and the facts in which an observation and an expectation are compared.

A fact is a row ``{"what": …, "is": …}``. Facts say what must hold whatever the program's style and whoever got which
partition: each record once, the order of a key, offsets, members. Sources: Kafka's documentation of topics, of consumer
groups and of ``delete.records``; each rule was seen on Kafka 4.3.1.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

Fact = dict[str, Any]
_LONGEST_NAME = 249
_DAY_MS = 86_400_000


@dataclass(frozen=True)
class Record:
    """A record as it lies in a partition: key and value as bytes or None, ``at`` in ms since the epoch."""

    key: bytes | None
    value: bytes | None
    at: int
    partition: int = 0
    offset: int = 0
    headers: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True)
class Topic:
    """What is asked of a topic, or what it has. ``settings`` are texts, as the broker gives them."""

    partitions: int
    replication: int
    settings: Mapping[str, str]


def valid_name(name: str) -> bool:
    """Whether a topic may have this name. Source: org.apache.kafka.common.internals.Topic."""
    return bool(re.fullmatch(rf"[a-zA-Z0-9._-]{{1,{_LONGEST_NAME}}}", name)) and name not in {".", ".."}


def fact(what: str, value: object) -> Fact:
    """One thing that holds."""
    return {"what": what, "is": str(value)}


def topic_facts(topic: Topic | None, others: Sequence[str] = ()) -> list[Fact]:
    """A topic's partitions, copies and settings, and other topics that were made."""
    more = [fact("other topics made", ", ".join(sorted(others)) or "none")]
    if topic is None:
        return [fact("the topic", "does not exist"), *more]
    found = [fact("partitions", topic.partitions), fact("replication factor", topic.replication)]
    return [*found, *(fact(name, value) for name, value in sorted(topic.settings.items())), *more]


def key_facts(records: Iterable[Record]) -> list[Fact]:
    """How many records each key has, and on how many partitions it lies (without a key: anywhere)."""
    facts = []
    for key, found in _by_key(records).items():
        facts.append(fact(f"records with key {key}", len(found)))
        if found[0].key is not None:
            facts.append(fact(f"partitions with key {key}", len({record.partition for record in found})))
    return facts


def value_facts(records: Iterable[Record]) -> list[Fact]:
    """Every value, as JSON."""
    return [fact("a value", text) for text in sorted(value_text(record.value) for record in records)]


def order_facts(records: Iterable[Record]) -> list[Fact]:
    """The values of each key in the order of their offsets."""
    by_key = _by_key(records).items()
    return [fact(f"{key}, record {number}", value_text(r.value)) for key, found in by_key for number, r in enumerate(found, 1)]


def time_facts(records: Iterable[Record], now: float = 0) -> list[Fact]:
    """Every value with its record's time; within a day of ``now`` it is the wall clock's, which differs in every run."""
    facts = []
    for record in records:
        at = "the time of sending" if abs(record.at - now) < _DAY_MS else moment(record.at)
        facts.append(fact(f"time of {value_text(record.value)}", at))
    return facts


def header_facts(records: Iterable[Record]) -> list[Fact]:
    """The headers of every value that has some."""
    return [fact(f"header {name} of {value_text(record.value)}", _text(value)) for record in records for name, value in record.headers]


def _by_key(records: Iterable[Record]) -> dict[str, list[Record]]:
    found = dict[str, list[Record]]()
    for record in sorted(records, key=lambda record: (record.partition, record.offset)):
        found.setdefault(_text(record.key), []).append(record)
    return found


def moment(at: int) -> str:
    """Milliseconds since the epoch as ISO 8601."""
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S") + f".{at % 1000:03}Z"


def value_text(value: bytes | None) -> str:
    """A value as its JSON, whatever its spaces and escapes and the order of its members; else as it is."""
    if value is None:
        return "no value"
    try:
        return json.dumps(json.loads(value.decode("utf-8"), parse_constant=_refuse), ensure_ascii=False, sort_keys=True)
    except (ValueError, RecursionError):
        return f"not JSON: {_text(value)}"


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _text(value: bytes | None) -> str:
    if value is None:
        return "(none)"
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return repr(value)


def different_facts(values: Iterable[bytes | None]) -> list[Fact]:
    """How many different readings are there: one that was sent twice counts once."""
    return [fact("different readings in the topic", len({value_text(value) for value in values}))]


Place = tuple[int, int]


def handled_facts(places: Iterable[Place], handled: Sequence[Sequence[Place]]) -> list[Fact]:
    """How often each record (partition, offset) was handled by the programs of one group, and whether in order."""
    there = set(places)
    times = Counter(place for program in handled for place in program)
    once = sum(times[place] == 1 for place in there)
    never = sum(times[place] == 0 for place in there)
    return [
        fact("records handled once", once),
        fact("records never handled", never),
        fact("records handled more than once", len(there) - once - never),
        fact("partitions handled out of order", len(set().union(*map(_disordered, handled))) if handled else 0),
    ]


def made_up_facts(ends: Mapping[int, int], handled: Iterable[Iterable[Place]]) -> list[Fact]:
    """That something was handled that has never been a record, where it was: a right program knows nothing of this fact.

    What retention has removed was one, so that only the ends count.
    """
    count = sum(not 0 <= offset < ends.get(partition, 0) for program in handled for partition, offset in program)
    return [fact("handled what is no record", count)] if count else []


def _disordered(program: Sequence[Place]) -> set[int]:
    furthest: dict[int, int] = {}
    bad = set()
    for partition, offset in program:
        if offset < furthest.get(partition, -1):
            bad.add(partition)
        furthest[partition] = max(offset, furthest.get(partition, -1))
    return bad


def at_least_once_facts(places: Iterable[Place], handled: Iterable[Place], again: Iterable[Place]) -> list[Fact]:
    """That nothing was missed, and that what was handled ``again`` (although committed before) is nothing."""
    there = set(places)
    return [
        fact("records in the topic", len(there)),
        fact("records never handled", len(there - set(handled))),
        fact("records handled again although committed", len(there & set(again))),
    ]


def offset_facts(group: str, ends: Mapping[int, int], starts: Mapping[int, int], committed: Mapping[int, int]) -> list[Fact]:
    """How many records a group has not committed, by partition's end and start."""
    lag = sum(end - max(committed.get(partition, 0), starts.get(partition, 0)) for partition, end in ends.items())
    return [fact(f"records that group {group} has not committed", lag)]


def ahead_facts(group: str, committed: Mapping[int, int], places: Iterable[Place], handled: Iterable[Place]) -> list[Fact]:
    """How many records a group has committed that nobody handled: they are lost to it."""
    lost = [place for place in set(places) - set(handled) if place[1] < committed.get(place[0], 0)]
    return [fact(f"records that group {group} committed and nobody handled", len(lost))]


def member_facts(shares: Iterable[int]) -> list[Fact]:
    """How many partitions each member of a group has, whichever they are."""
    found = sorted(shares, reverse=True)
    return [fact("members of the group", len(found)), fact("partitions of each member", ", ".join(map(str, found)) or "none")]
