"""What one replay on brokers knows: its topic and groups, who runs or ran, and how long it may go on."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from kafka.errors import CorruptRecordError, UnsupportedCodecError

from autograder.broker.background import Background
from autograder.broker.cluster import Cluster
from autograder.broker.observer import Observer
from autograder.broker.programs import Program
from autograder.machine.clock import Clock
from autograder.model import Failure, Request
from autograder.oracle.kafka import Place, Record

#: Seconds within which members share partitions and records are handled; beyond it what is there is looked at.
PATIENCE = 15.0
#: Seconds within which a program that joins a group is seen to try.
_FIRST_SIGN = 6.0
#: Seconds between two looks at a state for which the broker has no event.
BREATH = 0.05
#: Bytes of records that are read at most, and what each takes beside its own.
_MOST_READ, _OWN_BYTES = 2_000_000, 100


class StoppedError(Exception):
    """A replay that cannot go on, for what the submission did."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.kind)
        self.failure = failure


@dataclass
class Scene:
    """One fixture's topic, groups and programs. Names of topics and groups end with ``mark``; times are the clock's."""

    cluster: Cluster | Background
    observer: Observer
    request: Request
    mark: str = field(default_factory=lambda: f"-{secrets.token_hex(4)}")
    settings: set[str] = field(default_factory=lambda: {"retention.ms", "min.insync.replicas"})
    clock: Clock = field(default_factory=Clock)
    started: dict[str, Program] = field(default_factory=dict)
    ended: list[Program] = field(default_factory=list)
    committed_before: dict[int, set[Place]] = field(default_factory=dict)
    stopped: int | None = None
    step: int = 0
    nobody_joins: bool = False

    @property
    def topic(self) -> str:
        """The topic's name on the brokers."""
        return f"{self.request.parameters.get('topic', 'topic')}{self.mark}"

    @property
    def deadline(self) -> float:
        """When the replay's time is over, by the clock, which began with it."""
        return float(self.request.time_limit)

    @property
    def programs(self) -> list[Program]:
        """Those that ended, then those that run, each in the order in which they began."""
        return [*self.ended, *self.started.values()]

    def topic_name(self, name: str | None) -> str:
        """What a topic of the fixture is called on the brokers."""
        return f"{name}{self.mark}" if name else self.topic

    def group(self, name: str | None = None) -> str:
        """What a group of the fixture is called on the brokers."""
        return f"{name or self.request.parameters.get('group', 'group')}{self.mark}"

    def name(self, marked: str) -> str:
        """What the fixture calls it."""
        return marked.removesuffix(self.mark)

    def bootstrap(self) -> str:
        """The brokers' addresses in an order that the fixture decides: one that is stopped first, then the topic's as it has them.

        Which broker leads which partition is drawn anew for every topic; a program that turns to the first address alone must
        come to the same end each time.
        """
        partitions = self.observer.partitions(self.topic) if len(self.cluster.ports) > 1 else []
        replicas = [int(number) for number in partitions[0]["replica_nodes"]] if partitions else []
        numbers = [self.stopped, *replicas, *range(1, len(self.cluster.ports) + 1)]
        return ",".join(f"127.0.0.1:{self.cluster.ports[number - 1]}" for number in dict.fromkeys(numbers) if number)

    def handled(self, group: str) -> set[Place]:
        """The records that a group's programs have handled."""
        return {place for program in self.programs if program.group == group for place in program.handled}

    def places(self) -> list[Place]:
        """Partition and offset of every record of the topic. Raises StoppedError for more than are read."""
        starts, ends = self.observer.bounds(self.topic)
        if sum(end - starts.get(partition, end) for partition, end in ends.items()) > _MOST_READ // _OWN_BYTES:
            raise self.too_much()
        return [(partition, offset) for partition, end in sorted(ends.items()) for offset in range(starts.get(partition, end), end)]

    def records(self) -> list[Record]:
        """Every record of the topic. Raises StoppedError for more than are read."""
        found, room = [], _MOST_READ
        try:
            for record in self.observer.records(self.topic):
                headers = sum(len(name) + len(value) for name, value in record.headers)
                room -= _OWN_BYTES + len(record.key or b"") + len(record.value or b"") + headers
                if room < 0:
                    raise self.too_much()
                found.append(record)
        except (CorruptRecordError, UnsupportedCodecError, UnicodeError, ValueError, AssertionError) as error:
            raise self.unreadable() from error
        return found

    def partition(self) -> dict[str, Any]:
        """The topic's first partition. Raises StoppedError when the submission has deleted the topic."""
        found = self.observer.partitions(self.topic)
        if not found:
            raise self.unreadable()
        return found[0]

    def members(self, group: str) -> dict[str, int]:
        """A group's members once all its programs are, or when patience is over: sooner where nobody tries to join."""
        start = self.clock.now()
        before, sign = self.observer.members(group), False
        while True:
            running = [program for program in self.started.values() if program.group == group and not program.gone]
            found = self.observer.members(group)
            sign = sign or found != before
            late = self.clock.now() > min(self.deadline, start + (PATIENCE if sign else _FIRST_SIGN))
            if (found is not None and len(found) == len(running)) or not running or late or self.nobody_joins:
                self.nobody_joins = self.nobody_joins or (late and not sign)
                return found or {}
            for program in running:
                program.hear(BREATH)

    def holds(self, state: Callable[[], bool], until: float) -> bool:
        """Whether a state of the brokers, which have no event for it, is reached by then."""
        while not state():
            if self.clock.now() > until:
                return False
        return True

    def ends(self, program: Program, until: float) -> bool:
        """Whether a program's process is gone by then; what it says meanwhile is taken in."""
        while not program.gone and self.clock.now() < until:
            program.hear(BREATH)
        return program.gone

    def over(self, name: str) -> Program:
        """Count a program among those that ended."""
        program = self.started.pop(name)
        self.ended.append(program)
        return program

    def timeout(self) -> StoppedError:
        """The replay's time is over."""
        return StoppedError(Failure("timeout", str(self.request.time_limit), step=self.step))

    def too_much(self) -> StoppedError:
        """The topic has more than is read."""
        return StoppedError(Failure("too_much_output", step=self.step))

    def unreadable(self) -> StoppedError:
        """The topic is the submission's to fill and to delete."""
        return StoppedError(Failure("unreadable_topic", step=self.step))

    def failed(self, failure: Failure) -> StoppedError:
        """A program's failure, at this step."""
        return StoppedError(replace(failure, step=self.step))
