"""Facts about topics, records and consumer groups: what the replay saw on brokers is compared with what the oracle expects.

A fact is a row ``{"what": …, "is": …}``. Right programs differ in style, and Kafka chooses who gets which partition. So a fact says only
what holds for all of them: each record was handled once, a key kept its order, so many records are not committed. Both sides
make their facts with these functions. Sources: Kafka's documentation of topics, of consumer groups and of ``kafka-delete-records``;
each rule was seen on Kafka 4.3.1.
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
#: Where a record lies: its partition and its offset there.
Place = tuple[int, int]
_LONGEST_NAME = 249
_DAY_MS = 86_400_000


@dataclass(frozen=True)
class Record:
    """A record in a partition. ``at`` is its timestamp, in ms since the epoch."""

    key: bytes | None
    value: bytes | None
    at: int
    partition: int = 0
    offset: int = 0
    headers: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True)
class Topic:
    """How a topic is, or is to be: ``settings`` are texts, as the broker gives them."""

    partitions: int
    replication: int
    settings: Mapping[str, str]


def valid_name(name: str) -> bool:
    """Whether Kafka accepts a topic with this name. Source: org.apache.kafka.common.internals.Topic."""
    return bool(re.fullmatch(rf"[a-zA-Z0-9._-]{{1,{_LONGEST_NAME}}}", name)) and name not in {".", ".."}


def fact(what: str, value: object) -> Fact:
    """One fact; ``value`` becomes its text. Halves of letters, which JSON may carry and no file can, are spelled out."""
    return {"what": _whole(what), "is": _whole(str(value))}


def _whole(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def topic_facts(topic: Topic | None, others: Sequence[str] = ()) -> list[Fact]:
    """A topic's partitions, replication factor and settings, and the names of other topics. ``topic`` is None where there is none."""
    other_topics = fact("other topics made", ", ".join(sorted(others)) or "none")
    if topic is None:
        return [fact("the topic", "does not exist"), other_topics]
    sizes = [fact("partitions", topic.partitions), fact("replication factor", topic.replication)]
    return [*sizes, *(fact(name, value) for name, value in sorted(topic.settings.items())), other_topics]


def key_facts(records: Iterable[Record]) -> list[Fact]:
    """How many records each key has, and on how many partitions they lie. Records without a key may lie on any."""
    facts = []
    for key, same_key in _by_key(records).items():
        facts.append(fact(f"records with key {key}", len(same_key)))
        if same_key[0].key is not None:
            facts.append(fact(f"partitions with key {key}", len({record.partition for record in same_key})))
    return facts


def value_facts(records: Iterable[Record]) -> list[Fact]:
    """Each record's value, as JSON."""
    return [fact("a value", text) for text in sorted(value_text(record.value) for record in records)]


def order_facts(records: Iterable[Record]) -> list[Fact]:
    """The values of each key, in the order of their offsets."""
    numbered = [(key, enumerate(same_key, 1)) for key, same_key in _by_key(records).items()]
    return [fact(f"{key}, record {number}", value_text(record.value)) for key, same_key in numbered for number, record in same_key]


def time_facts(records: Iterable[Record], now: float = 0) -> list[Fact]:
    """The timestamp of each value. ``now`` is the wall clock, in ms since the epoch.

    A timestamp within a day of it is told as the time of sending, for it differs in every run.
    """
    facts = []
    for record in records:
        at = "the time of sending" if abs(record.at - now) < _DAY_MS else _iso_time(record.at)
        facts.append(fact(f"time of {value_text(record.value)}", at))
    return facts


def header_facts(records: Iterable[Record]) -> list[Fact]:
    """The headers of each value that has some."""
    return [fact(f"header {name} of {value_text(record.value)}", _text(value)) for record in records for name, value in record.headers]


def _by_key(records: Iterable[Record]) -> dict[str, list[Record]]:
    by_key = dict[str, list[Record]]()
    for record in sorted(records, key=lambda record: (record.partition, record.offset)):
        by_key.setdefault(_text(record.key), []).append(record)
    return by_key


def _iso_time(at: int) -> str:
    try:
        return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S") + f".{at % 1000:03}Z"
    except (OverflowError, ValueError, OSError):  # a producer may write any timestamp
        return f"{at} ms since 1970"


def value_text(value: bytes | None) -> str:
    """A value as JSON in one spelling, whatever its spaces, its escapes and the order of its members. What is no JSON stays as it is."""
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
    """How many different values there are: one that was sent twice counts once."""
    return [fact("different readings in the topic", len({value_text(value) for value in values}))]


def handled_facts(places: Iterable[Place], handled: Sequence[Sequence[Place]]) -> list[Fact]:
    """How often the programs of one group handled the records at ``places``, and whether each program kept their order.

    ``handled`` has, by program, the places of what it handled, in order.
    """
    in_topic = set(places)
    times = Counter(place for program in handled for place in program)
    once = sum(times[place] == 1 for place in in_topic)
    never = sum(times[place] == 0 for place in in_topic)
    return [
        fact("records handled once", once),
        fact("records never handled", never),
        fact("records handled more than once", len(in_topic) - once - never),
        fact("partitions handled out of order", len(set[int]().union(*map(_out_of_order, handled)))),
    ]


def made_up_facts(ends: Mapping[int, int], handled: Iterable[Iterable[Place]]) -> list[Fact]:
    """How many things that programs say they handled never were records; no fact where there are none.

    ``ends`` are the offsets behind each partition's last record. What retention removed was a record once.
    """
    count = sum(not 0 <= offset < ends.get(partition, 0) for program in handled for partition, offset in program)
    return [fact("handled what is no record", count)] if count else []


def _out_of_order(handled: Sequence[Place]) -> set[int]:
    """The partitions in which a program went back."""
    highest: dict[int, int] = {}
    partitions = set()
    for partition, offset in handled:
        if offset < highest.get(partition, -1):
            partitions.add(partition)
        highest[partition] = max(offset, highest.get(partition, -1))
    return partitions


def at_least_once_facts(places: Iterable[Place], handled: Iterable[Place], again: Iterable[Place]) -> list[Fact]:
    """How many records at ``places`` were never handled, and how many of them were handled ``again`` after they were committed."""
    in_topic = set(places)
    return [
        fact("records in the topic", len(in_topic)),
        fact("records never handled", len(in_topic - set(handled))),
        fact("records handled again although committed", len(in_topic & set(again))),
    ]


def offset_facts(group: str, ends: Mapping[int, int], starts: Mapping[int, int], committed: Mapping[int, int]) -> list[Fact]:
    """How many records a group has not committed. Offsets by partition: its end, its start where retention cut it, what is committed."""
    lag = sum(end - max(committed.get(partition, 0), starts.get(partition, 0)) for partition, end in ends.items())
    return [fact(f"records that group {group} has not committed", lag)]


def ahead_facts(group: str, committed: Mapping[int, int], places: Iterable[Place], handled: Iterable[Place]) -> list[Fact]:
    """How many records at ``places`` a group has committed and nobody handled: the group has lost them."""
    lost = [place for place in set(places) - set(handled) if place[1] < committed.get(place[0], 0)]
    return [fact(f"records that group {group} committed and nobody handled", len(lost))]


def member_facts(shares: Iterable[int]) -> list[Fact]:
    """How many members a group has, and how many partitions each: the largest number first, for Kafka chooses who gets more."""
    counts = sorted(shares, reverse=True)
    return [fact("members of the group", len(counts)), fact("partitions of each member", ", ".join(map(str, counts)) or "none")]
