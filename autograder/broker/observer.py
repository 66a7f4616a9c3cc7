"""What lies on the broker, seen with clients of our own: topics, records of every partition, offsets, members."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, MemberToRemove, NewTopic, OffsetSpec
from kafka.errors import GroupIdNotFoundError, KafkaError, LeaderNotAvailableError, NotCoordinatorError
from kafka.protocol.metadata import MetadataRequest

from autograder.machine.clock import Clock
from autograder.model import TopicRecord
from autograder.oracle.kafka import Record, Topic

T = TypeVar("T")
_TIMEOUT_MS = 30_000
#: As which a leader tells where its log ends; a consumer is told how far it may read. Source: Kafka's ListOffsetsRequest.
_DEBUGGING_REPLICA = -2


class UnreachableError(Exception):
    """The broker does not answer as it should: a fault of ours or of this machine."""


def _patient(ask: Callable[..., T]) -> Callable[..., T]:
    """Ask again while brokers answer that it may work later.

    They do while a new broker makes its topic for groups' offsets, and after a fixture has stopped one: a client may still turn
    to that one, and holds on to a group's coordinator for ever.
    """

    @functools.wraps(ask)
    def asked(observer: Observer, *arguments: Any) -> T:
        clock = Clock()
        while True:
            try:
                return ask(observer, *arguments)
            except KafkaError as error:
                if not error.retriable or clock.now() > _TIMEOUT_MS / 1000:
                    raise
                observer.check()
                observer.admin._manager.cluster._coordinators.clear()  # it has no public way to forget them

    return asked


class Observer:
    """Clients of one replay. Use it as a context manager. ``check`` raises when the brokers are gone and asking again is in vain."""

    def __init__(self, bootstrap: str, check: Callable[[], None] = lambda: None) -> None:
        self.bootstrap, self.check = bootstrap, check
        self.admin = KafkaAdminClient(bootstrap_servers=bootstrap)
        self._stack = contextlib.ExitStack()
        self._stack.callback(self.admin.close)
        self._producer: Any = None

    def __enter__(self) -> Observer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stack.close()

    def make_topic(self, name: str, topic: Topic) -> None:
        """Make a topic and wait until every partition has a leader."""
        self.admin.create_topics([NewTopic(name, topic.partitions, topic.replication, topic_configs=dict(topic.settings))])
        self.admin.wait_for_topics([name], timeout_ms=_TIMEOUT_MS)

    def settle(self, name: str) -> None:
        """Wait until every broker knows all topics made so far, by making one more: brokers learn of them in their order."""
        self.admin.create_topics([NewTopic(name, 1, 1)])
        brokers = self._brokers()
        clock = Clock()
        while not all(self._known(name, broker) for broker in brokers):
            if clock.now() > _TIMEOUT_MS / 1000:
                raise UnreachableError("The brokers do not learn of a topic.")

    def _known(self, name: str, broker: int) -> int:
        """How many partitions of a topic have a leader, as one broker knows it."""
        return sum(partition["leader_id"] >= 0 for partition in self._described(name, broker))

    def _described(self, name: str, broker: int) -> list[dict[str, Any]]:
        """A topic's partitions as one broker knows them; the admin client has no public call that asks a certain one."""
        request = MetadataRequest(topics=[MetadataRequest.MetadataRequestTopic(name=name)], allow_auto_topic_creation=False)
        response = self.admin._manager.run(functools.partial(self.admin._manager.send, node_id=broker), request)
        (topic,) = response.to_dict()["topics"]
        return [] if topic["error_code"] else list(topic["partitions"])

    def _brokers(self) -> list[int]:
        """The brokers that run."""
        return [broker["broker_id"] for broker in self.admin.describe_cluster()["brokers"] if not broker.get("is_fenced")]

    @_patient
    def topics(self, mark: str) -> list[str]:
        """The topics whose names end with a mark."""
        return [name for name in self.admin.list_topics() if name.endswith(mark)]

    @_patient
    def partitions(self, name: str) -> list[dict[str, Any]]:
        """A topic's partitions as a broker describes them; none when there is no such topic.

        Brokers learn of a topic one after the other: it is not there when none of them knows it.
        """
        found: list[dict[str, Any]] = self.admin.describe_topics([name])[0]["partitions"]
        return found or next(filter(None, (self._described(name, broker) for broker in self._brokers())), [])

    @_patient
    def topic(self, name: str, settings: Iterable[str]) -> Topic | None:
        """A topic with the values of these settings."""
        partitions = self.partitions(name)
        if not partitions:
            return None
        names = sorted(settings)
        resource = ConfigResource(ConfigResourceType.TOPIC, name, names)
        values = self.admin.describe_configs([resource], config_filter="all")["topic"][name] if names else {}
        return Topic(len(partitions), len(partitions[0]["replica_nodes"]), {key: str(values[key]["value"]) for key in names})

    def send(self, topic: str, records: Sequence[TopicRecord]) -> None:
        """Produce records, each acknowledged by all replicas before the next."""
        if self._producer is None:
            self._producer = KafkaProducer(bootstrap_servers=self.bootstrap, acks="all")
            self._stack.callback(self._producer.close, _TIMEOUT_MS / 1000)
        sent = [
            self._producer.send(
                topic,
                None if record.value is None else record.value.encode(),
                None if record.key is None else record.key.encode(),
                [(name, value.encode()) for name, value in record.headers.items()],
                record.partition,
                record.at or None,
            )
            for record in records
        ]
        for future in sent:
            future.get(timeout=_TIMEOUT_MS / 1000)

    @_patient
    def bounds(self, topic: str) -> tuple[dict[int, int], dict[int, int]]:
        """The first offset and the end of every partition, as far as consumers may read."""
        return self._offsets(topic, OffsetSpec.EARLIEST), self._offsets(topic, OffsetSpec.LATEST)

    @_patient
    def ends(self, topic: str) -> dict[int, int]:
        """How far consumers may read every partition."""
        return self._offsets(topic, OffsetSpec.LATEST)

    @_patient
    def log_ends(self, topic: str) -> dict[int, int]:
        """Where the leaders' logs end, by partition: what they have may not be on the other replicas yet, and nobody can read it."""
        return self._offsets(topic, OffsetSpec.LATEST, _DEBUGGING_REPLICA)

    def _offsets(self, topic: str, which: OffsetSpec, replica: int | None = None) -> dict[int, int]:
        """Offsets as the leaders of this moment tell them.

        A consumer would ask those that it knew, and ask for ever, when a submission has deleted the topic and made it anew.
        """
        leaders: dict[int, list[TopicPartition]] = {}
        for partition in self.partitions(topic):
            leaders.setdefault(partition["leader_id"], []).append(TopicPartition(topic, partition["partition_index"]))
        if min(leaders, default=0) < 0:
            raise LeaderNotAvailableError(topic)
        found: dict[int, int] = {}
        for leader, own in leaders.items():
            request = self.admin._list_partition_offsets_request(dict.fromkeys(own, which), 0)
            if replica is not None:
                request.replica_id = replica
            response = self.admin._manager.run(functools.partial(self.admin._manager.send, node_id=leader), request)
            entries = self.admin._list_partition_offsets_process_response(response)
            found.update({place.partition: entry.offset for place, entry in entries.items()})
        return found

    def waits_for_replicas(self, topic: str) -> bool:
        """Whether a partition has records that nobody can read yet, and enough replicas in sync to have them soon."""
        ends, readable = self.log_ends(topic), self.ends(topic)
        if ends == readable:
            return False
        found = self.topic(topic, ["min.insync.replicas"])
        least = int(found.settings["min.insync.replicas"]) if found else 0
        in_sync = {partition["partition_index"]: len(partition["isr_nodes"]) for partition in self.partitions(topic)}
        return any(end > readable.get(number, 0) and in_sync.get(number, 0) >= least for number, end in ends.items())

    def records(self, topic: str) -> Iterator[Record]:
        """Every record of every partition. Raises UnreachableError when they do not come in time."""
        missing = {TopicPartition(topic, partition): end for partition, end in self.ends(topic).items() if end}
        if not missing:
            return
        # One for each reading: an older one may know the leaders of a topic that is gone.
        consumer = KafkaConsumer(bootstrap_servers=self.bootstrap, enable_auto_commit=False, auto_offset_reset="earliest")
        with contextlib.closing(consumer):
            consumer.assign(list(missing))
            consumer.seek_to_beginning()
            clock = Clock()
            while any(consumer.position(place, _TIMEOUT_MS) < end for place, end in missing.items()):
                if clock.now() > _TIMEOUT_MS / 1000:
                    raise UnreachableError("The records of a topic cannot be read.")
                for batch in consumer.poll(timeout_ms=500).values():
                    for found in batch:
                        headers = tuple((name, value or b"") for name, value in found.headers)
                        yield Record(found.key, found.value, found.timestamp, found.partition, found.offset, headers)

    @_patient
    def committed(self, group: str, topic: str) -> dict[int, int]:
        """A group's committed offsets by partition."""
        try:
            found = self.admin.list_group_offsets([group])
        except GroupIdNotFoundError:
            return {}
        return {place.partition: entry.offset for place, entry in found.get(group, {}).items() if place.topic == topic}

    @_patient
    def members(self, group: str) -> dict[str, int] | None:
        """How many partitions each member of a group has; None while it is being shared out anew."""
        found = self._group(group)
        if found["group_state"] in {"Dead", "Empty"}:
            return {}
        if found["group_state"] != "Stable":
            return None
        return {member["member_id"]: _share(member) for member in found["members"]}

    @_patient
    def member_ids(self, group: str) -> list[str]:
        """The members of a group, whatever its state."""
        return [member["member_id"] for member in self._group(group)["members"]]

    def _group(self, group: str) -> dict[str, Any]:
        found: dict[str, Any] = self.admin.describe_groups([group])[group]
        if found["error"] and found["group_state"] != "Dead":
            raise NotCoordinatorError(found["error"])
        return found

    @_patient
    def remove_members(self, group: str, members: Iterable[str]) -> None:
        """Do what the session timeout does with members that are gone."""
        gone = [MemberToRemove(member_id=member) for member in members]
        if gone:
            self.admin.remove_group_members(group, gone)

    @_patient
    def delete_records(self, topic: str, partition: int, before: int) -> None:
        """Do what retention does: the records before an offset are gone."""
        self.admin.delete_records({TopicPartition(topic, partition): before})

    def forget(self, mark: str, groups: Iterable[str]) -> None:
        """Delete the topics and groups of a mark, as far as it goes."""
        with contextlib.suppress(KafkaError):
            names = self.topics(mark)
            if names:
                self.admin.delete_topics(names)
        for group in groups:
            with contextlib.suppress(KafkaError):
                self.admin.delete_groups([group])


def _share(member: Mapping[str, Any]) -> int:
    assignment = member["member_assignment"] or {}
    return sum(len(found["partitions"]) for found in assignment.get("assigned_partitions", ()))
