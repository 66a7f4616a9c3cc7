"""What happens to a Kafka topic in a fixture, a class for each kind of step: parameters are filled in, times are in ms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any, Literal, TypeAlias

from annotated_types import Ge, Le

from autograder.wire import HandlerPlan, record

Count = Annotated[int, Ge(0)]
Look: TypeAlias = Literal[
    "topic", "keys", "values", "order", "times", "headers", "different", "handled", "at_least_once", "offsets", "ahead", "members"
]


@record
class MakeTopic:
    """There is a topic (the assignment's own without a name)."""

    partitions: Annotated[int, Ge(1), Le(100)]
    name: str | None = None
    replication: Annotated[int, Ge(1), Le(3)] = 1
    settings: Mapping[str, str] = field(default_factory=dict)


@record
class TopicRecord:
    """A record to send. ``at`` is its time in ms since the epoch; 0 is the time of sending."""

    topic: str | None = None
    key: str | None = None
    value: str | None = None
    partition: Count | None = None
    at: Count = 0
    headers: Mapping[str, str] = field(default_factory=dict)


@record
class SendRecords:
    """Records arrive."""

    records: tuple[TopicRecord, ...]


@record
class _Program:
    name: str = "program"
    group: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    handle: HandlerPlan = HandlerPlan()
    readings: tuple[dict[str, Any], ...] = ()
    pause_at: Count | None = None
    kill_leader: bool = False


@record
class Call(_Program):
    """The function is called, until it returns."""


@record
class Join(_Program):
    """A program starts as a member of a group, beside others."""


@record
class Leave:
    """A member is told to stop: ``running()`` is False."""

    name: str


@record
class Kill:
    """A member is killed (SIGKILL)."""

    name: str


@record
class Until:
    """Until every record is handled."""

    what: Literal["handled"]


@record
class Passes:
    """A time passes."""

    what: Literal["session timeout"]


@record
class DeleteRecords:
    """Retention removes the records of a partition before an offset."""

    partition: Count
    before: Count


@record
class StopBroker:
    """The broker of the partition's leader or of a follower shuts down in order."""

    which: Literal["leader", "follower"]


@record
class KillBroker:
    """The broker of the partition's leader or of a follower is killed."""

    which: Literal["leader", "follower"]


@record
class StartBroker:
    """The broker that was stopped is there again."""

    which: Literal["stopped"]


@record
class Observe:
    """What is on the brokers, and what was handled, is written down as facts."""

    what: tuple[Look, ...]


KafkaStep: TypeAlias = (
    MakeTopic | SendRecords | Call | Join | Leave | Kill | Until | Passes | DeleteRecords | StopBroker | KillBroker | StartBroker | Observe
)
