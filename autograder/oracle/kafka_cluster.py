"""A model of a Kafka cluster: topics and records, consumer groups, and replicas in sync.

An assignment says what its functions do to a ``Cluster``; ``observe`` gives the facts that follow. Kafka alone knows on which partition a
key lies and which partitions a member gets. The model makes a choice of its own, and no fact depends on it. Each rule was seen on
Kafka 4.3.1.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from autograder.oracle.kafka import (
    Fact,
    Place,
    Record,
    Topic,
    ahead_facts,
    at_least_once_facts,
    different_facts,
    fact,
    handled_facts,
    header_facts,
    key_facts,
    member_facts,
    offset_facts,
    order_facts,
    time_facts,
    topic_facts,
    value_facts,
)

#: A topic's settings where nobody sets them.
_DEFAULT_SETTINGS: Mapping[str, str] = {"retention.ms": "604800000", "min.insync.replicas": "1"}
#: The wall clock, in ms since the epoch: a record sent without a time gets it. It lies in the year 9999, where no event time does.
_NOW = 253_370_764_800_000


@dataclass
class Log:
    """A topic and its records, in order of arrival. ``starts`` has the first offset of each partition that retention has cut."""

    topic: Topic
    records: list[Record] = field(default_factory=list)
    starts: dict[int, int] = field(default_factory=dict)

    def readable(self) -> list[Record]:
        """The records that retention has left."""
        return [record for record in self.records if record.offset >= self.starts.get(record.partition, 0)]

    def places(self) -> list[Place]:
        """Partition and offset of each record that retention has left, by partition."""
        return sorted((record.partition, record.offset) for record in self.readable())

    def ends(self) -> dict[int, int]:
        """The offset behind the last record of each partition, retention or not."""
        return {partition: self.end(partition) for partition in range(self.topic.partitions)}

    def end(self, partition: int) -> int:
        """The offset that the next record of a partition gets."""
        return sum(record.partition == partition for record in self.records)


@dataclass
class _Group:
    """A consumer group: what each of its programs handled, and the next offset that it committed, by partition."""

    programs: list[list[Place]] = field(default_factory=list)
    committed: dict[int, int] = field(default_factory=dict)

    def handled(self) -> list[Place]:
        return [place for program in self.programs for place in program]


class StoppedError(Exception):
    """The handler has ended the program that called it: by an error, or by killing its process."""


class Cluster:
    """Brokers on which one topic is looked at, with the eyes of one consumer group.

    The names given to methods are optional: without them that topic and that group are meant. Each broker that stops is taken to have
    a replica of every partition, as the one does that a fixture stops.
    """

    def __init__(self, topic: str = "topic", group: str = "group") -> None:
        self.topic, self.group = topic, group
        self.logs: dict[str, Log] = {}
        self.groups: dict[str, _Group] = {}
        self.members: dict[str, str] = {}
        self.stopped_brokers = 0

    # Topics and brokers.

    def make_topic(self, partitions: int, replication: int = 1, settings: Mapping[str, str] | None = None, name: str | None = None) -> None:
        """A new topic without records, in place of the one of that name. Settings that are not given are the broker's defaults."""
        self.logs[name or self.topic] = Log(Topic(partitions, replication, {**_DEFAULT_SETTINGS, **(settings or {})}))

    def log(self, name: str | None = None) -> Log:
        """A topic's records. Raises ValueError when there is no such topic."""
        if (name or self.topic) not in self.logs:
            raise ValueError(f"there is no topic {name or self.topic!r}")
        return self.logs[name or self.topic]

    def describe(self, name: str | None = None) -> Topic | None:
        """What a topic has; None where it does not exist."""
        log = self.logs.get(name or self.topic)
        return log.topic if log else None

    def stop_broker(self) -> None:
        """A broker stops or is killed: each partition has one replica in sync less."""
        self.stopped_brokers += 1

    def start_broker(self) -> None:
        """A broker that stopped is there again, and its replicas are in sync."""
        self.stopped_brokers -= 1

    def delete_records(self, partition: int, before: int) -> None:
        """Retention removes the records of a partition before an offset."""
        self.log().starts[partition] = before

    # Producers.

    def send(  # noqa: PLR0913  # what a record has
        self,
        key: bytes | None,
        value: bytes | None,
        at: int | None = None,
        *,
        partition: int | None = None,
        headers: Iterable[tuple[str, bytes]] = (),
        topic: str | None = None,
        acks: Literal["all", 1] = "all",
    ) -> bool:
        """Whether a record is acknowledged; ``at`` is its time in ms since the epoch, without it the time of sending.

        A partition takes a record while min.insync.replicas have it, or all replicas where there are fewer. With ``acks=1`` the
        leader alone acknowledges what consumers cannot see. Without a partition the key decides: equal keys share one.
        """
        log = self.log(topic)
        if not self._enough_in_sync(log.topic):
            return acks == 1
        where = zlib.crc32(key or b"") % log.topic.partitions if partition is None else partition
        log.records.append(Record(key, value, _NOW if at is None else at, where, log.end(where), tuple(headers)))
        return True

    def _enough_in_sync(self, topic: Topic) -> bool:
        in_sync = topic.replication - self.stopped_brokers
        return in_sync >= min(int(topic.settings["min.insync.replicas"]), topic.replication)

    # Consumers.

    def handle(
        self,
        group: str | None = None,
        stops_at: int = 0,
        stops_after: int = 0,
        *,
        begin: Literal["earliest", "latest"] = "earliest",
        commits: bool = True,
    ) -> None:
        """A program handles what its group has not committed, each partition in order, and commits each record once it is handled.

        Where nothing is committed it begins with the ``earliest`` record or behind the ``latest``. The handler ends the program at its
        n-th record: ``stops_at`` before it is handled, ``stops_after`` before it is committed. 0: never. Raises StoppedError then.
        """
        found = self._joined(group)
        todo = self._uncommitted(found, begin)
        ends_at = stops_at or stops_after or len(todo) + 1
        found.programs.append(todo[: ends_at - bool(stops_at)])
        for partition, offset in todo[: ends_at - 1] if commits else ():
            self.commit(partition, offset + 1, group)
        if ends_at <= len(todo):
            raise StoppedError

    def _uncommitted(self, group: _Group, begin: str) -> list[Place]:
        ends = self.log().ends() if begin == "latest" else {}
        return [place for place in self.log().places() if place[1] >= group.committed.get(place[0], ends.get(place[0], 0))]

    def commit(self, partition: int, offset: int, group: str | None = None) -> None:
        """A group commits the offset of the record that comes next."""
        self._joined(group).committed[partition] = offset

    def lost(self, group: str | None = None) -> int:
        """How many records retention has removed that come after what a group has committed."""
        committed = self._group(group).committed
        return sum(max(0, start - committed[partition]) for partition, start in self.log().starts.items() if partition in committed)

    def _group(self, name: str | None = None) -> _Group:
        return self.groups.get(name or self.group, _Group())

    def _joined(self, name: str | None) -> _Group:
        return self.groups.setdefault(name or self.group, _Group())

    # Members, which run side by side.

    def join(self, name: str, group: str | None = None) -> None:
        """A program joins a group."""
        self.members[name] = group or self.group

    def leave(self, name: str) -> None:
        """A member leaves, or is killed: what it has not committed is left to the others."""
        self.members.pop(name)

    def members_handle(self) -> None:
        """The members of each group handle and commit what is there."""
        for group in dict.fromkeys(self.members.values()):
            self.handle(group)

    def shares(self) -> list[int]:
        """How many partitions each member of the group has: they differ by one at most."""
        count = sum(group == self.group for group in self.members.values())
        partitions = self.log().topic.partitions
        return [partitions // count + (number < partitions % count) for number in range(count)]

    # What is seen.

    @property
    def records(self) -> list[Record]:
        """The records of the topic that a consumer can read."""
        return self.log().readable()

    def observe(self, names: Iterable[str]) -> list[Fact]:
        """The facts of these names, one name after the other."""
        return [found for name in names for found in _FACTS[name](self)]

    def handled_facts(self) -> list[Fact]:
        """How often each group handled each record; with the group's name where there are several."""
        places = self.log().places()
        found = [(name, handled_facts(places, group.programs)) for name, group in self.groups.items()]
        if len(found) > 1:
            return [fact(f"{name}: {each['what']}", each["is"]) for name, facts in found for each in facts]
        return found[0][1] if found else handled_facts(places, [])

    def at_least_once_facts(self) -> list[Fact]:
        """Whether the group missed a record. What it committed it never handles again."""
        return at_least_once_facts(self.log().places(), self._group().handled(), ())

    def offset_facts(self) -> list[Fact]:
        """How many records the group has not committed."""
        return offset_facts(self.group, self.log().ends(), self.log().starts, self._group().committed)

    def ahead_facts(self) -> list[Fact]:
        """How many records the group committed and did not handle."""
        return ahead_facts(self.group, self._group().committed, self.log().places(), self._group().handled())


#: How the facts of each name are made.
_FACTS: Mapping[str, Callable[[Cluster], list[Fact]]] = {
    "topic": lambda cluster: topic_facts(cluster.describe(), [name for name in cluster.logs if name != cluster.topic]),
    "keys": lambda cluster: key_facts(cluster.records),
    "values": lambda cluster: value_facts(cluster.records),
    "order": lambda cluster: order_facts(cluster.records),
    "times": lambda cluster: time_facts(cluster.records, _NOW),
    "headers": lambda cluster: header_facts(cluster.records),
    "different": lambda cluster: different_facts(record.value for record in cluster.records),
    "handled": Cluster.handled_facts,
    "at_least_once": Cluster.at_least_once_facts,
    "offsets": Cluster.offset_facts,
    "ahead": Cluster.ahead_facts,
    "members": lambda cluster: member_facts(cluster.shares()),
}
