"""Replay a fixture against real brokers: one step after the other, each waited for by what it brings about."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from typing import get_args

from autograder.broker.background import Background
from autograder.broker.cluster import Cluster
from autograder.broker.observer import Observer, UnreachableError
from autograder.broker.programs import Program, Programs
from autograder.model import (
    Batch,
    Call,
    DeleteRecords,
    Failure,
    Join,
    KafkaStep,
    Kill,
    KillBroker,
    Leave,
    MakeTopic,
    Observation,
    Observe,
    Passes,
    Request,
    SendRecords,
    StartBroker,
    StepOutput,
    StopBroker,
    Until,
)
from autograder.oracle import kafka as logs
from autograder.oracle.kafka import Fact, Place, Topic
from autograder.wire import GO_ON, STOP, StartProgram

#: Seconds within which members share partitions and records are handled; beyond it what is there is looked at.
_PATIENCE = 15.0
#: Seconds within which a program that joins a group is seen to try.
_FIRST_SIGN = 6.0
#: Seconds between two looks at a state for which the broker has no event.
_BREATH = 0.05
#: Seconds between two looks whether the brokers still run, for which a program may wait in vain.
_LOOK = 1.0
#: Bytes of records that are read at most, and what each takes beside its own; names of topics that are told.
_MOST_READ, _OWN_BYTES, _MOST_TOPICS = 2_000_000, 100, 50
#: How the topics begin that are made to know that brokers know the others.
_SETTLED = "autograder-settled-"


class StoppedError(Exception):
    """A replay that cannot go on, for what the submission did."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.kind)
        self.failure = failure


class Replay:
    """One fixture in topics and groups of its own, whose names end with ``mark``."""

    def __init__(self, cluster: Cluster | Background, programs: Programs, observer: Observer, request: Request) -> None:
        self.cluster, self.programs, self.observer, self.request = cluster, programs, observer, request
        self.mark = f"-{secrets.token_hex(4)}"
        self.topic = f"{request.parameters.get('topic', 'topic')}{self.mark}"
        self.looks_at_topic = any(isinstance(step, Observe) and "topic" in step.what for step in kafka_steps(request))
        self.settings: set[str] = {"retention.ms", "min.insync.replicas"}
        self.deadline = time.monotonic() + request.time_limit
        self.started: dict[str, Program] = {}
        self.ended: list[Program] = []
        self.member_ids: dict[int, set[str]] = {}
        self.committed_before: dict[int, set[Place]] = {}
        self.stopped: int | None = None
        self.nobody_joins = False
        self.step = self.settled = 0

    def run(self) -> Observation:
        """Every step; what is wrong with the submission is in the observation, what is wrong with us is raised."""
        began = time.monotonic()
        steps: list[StepOutput] = []
        failure = None
        try:
            for index, step in enumerate(kafka_steps(self.request)):
                self.step = index
                facts = self._do(step)
                steps.append(StepOutput((Batch(tuple(facts)),) if facts is not None else ()))
        except StoppedError as stopped:
            failure = stopped.failure
        finally:
            printed = next((program.printed for program in self._all() if program.printed), "")
            self._clean()
        seconds = round(time.monotonic() - began, 3)
        return Observation((), (), failure, printed, seconds) if failure else Observation(tuple(steps), (), None, printed, seconds)

    def _all(self) -> list[Program]:
        return [*self.ended, *self.started.values()]

    def _clean(self) -> None:
        for program in self._all():  # also those that are gone: they may only have said so
            program.kill()
        if self.stopped is not None:
            self._start_broker()
        if isinstance(self.cluster, Background):
            groups = {program.group for program in self._all()}
            try:
                for program in self.started.values():
                    _ends(program, time.monotonic() + _PATIENCE)
                for group in groups:
                    self.observer.remove_members(group, self.observer.member_ids(group))
            finally:
                self.observer.forget(self.mark, groups)

    def _do(self, step: KafkaStep) -> list[Fact] | None:
        """One step; the facts that it tells, or None."""
        match step:
            case Call():
                return self._call(step)
            case Leave():
                return self._leave(step)
            case Observe():
                return self._facts(step)
        self._happens(step)
        return None

    def _happens(self, step: KafkaStep) -> None:  # one case a kind
        """A step that tells nothing."""
        match step:
            case MakeTopic():
                self._make_topic(step)
            case SendRecords():
                self._send_records(step)
            case Join():
                self._join(step)
            case Kill(name=name):
                self._killed(name)
            case Until():
                self._until_handled()
            case Passes():
                self._session_timeout_passes()
            case DeleteRecords(partition=partition, before=before):
                self.observer.delete_records(self.topic, partition, before)
            case StopBroker(which=which):
                self._stop_broker(which)
            case KillBroker(which=which):
                self._end_broker(which, "kill")
            case StartBroker():
                self._start_broker()

    def _make_topic(self, step: MakeTopic) -> None:
        self.settings |= set(step.settings)
        # Records of a fixture may be years old: retention would take them away in the middle of a replay.
        settings = {"retention.ms": "-1", **step.settings}
        self.observer.make_topic(self._topic_name(step.name), Topic(step.partitions, step.replication, settings))
        self._settle()

    def _send_records(self, step: SendRecords) -> None:
        for name, found in groupby(step.records, lambda record: record.topic):
            self.observer.send(self._topic_name(name), list(found))

    def _call(self, step: Call) -> list[Fact]:
        program = self._start(step)
        while not program.gone:
            if not program.hear(min(self.deadline, time.monotonic() + _LOOK)):
                if time.monotonic() > self.deadline:
                    raise self._timeout()
                self.observer.check()
            if program.paused:
                program.paused = False
                if step.kill_leader:
                    self._wait_for_records(step.pause_at or 0)
                    self._end_broker("leader", "kill")
                program.tell(GO_ON)
        self._settle()
        return [self._ended(step.name, program)]

    def _join(self, step: Join) -> None:
        program = self._start(step)
        before = {member for members in self.member_ids.values() for member in members}
        found = self._wait_for_members(program.group)
        self.member_ids[program.number] = set(found) - before

    def _leave(self, step: Leave) -> list[Fact]:
        name = step.name
        program = self.started[name]
        program.tell(STOP)
        patience = time.monotonic() + _PATIENCE
        if _ends(program, min(patience, self.deadline)):
            return [self._ended(name, program)]
        if patience >= self.deadline:
            raise self._timeout()
        self._killed(name)
        return [logs.fact(name, "did not end when running() said so")]

    def _killed(self, name: str) -> None:
        program = self.started[name]
        program.kill()
        if not _ends(program, self.deadline):
            raise self._timeout()
        self._over(name, program)

    def _until_handled(self) -> None:
        wanted = set(self._places())
        patience = min(self.deadline, time.monotonic() + _PATIENCE)
        groups = {program.group for program in self.started.values()}
        while any(wanted - self._handled(group) for group in groups) and time.monotonic() < patience:
            for program in self.started.values():
                while program.hear(time.monotonic() + _BREATH):
                    pass
            if all(program.gone for program in self.started.values()):
                return

    def _session_timeout_passes(self) -> None:
        for name, program in [(name, program) for name, program in self.started.items() if program.gone]:
            self._over(name, program)
        for program in self.ended:
            self.observer.remove_members(program.group, self.member_ids.pop(program.number, set()))
        groups = {program.group for program in self.ended} - {program.group for program in self.started.values()}
        for group in groups:  # nobody is left: whoever is still a member is gone
            self.observer.remove_members(group, self.observer.member_ids(group))
        for group in {program.group for program in self.started.values()}:
            self._wait_for_members(group)

    def _stop_broker(self, which: str) -> None:
        self._end_broker(which, "stop")
        self._wait_for_isr(lambda isr, number: number not in isr)

    def _start_broker(self) -> None:
        assert self.stopped is not None
        assert isinstance(self.cluster, Cluster)
        self.cluster.tell("start", self.stopped)
        self._wait_for_isr(lambda isr, number: number in isr)
        self.stopped = None

    def _facts(self, step: Observe) -> list[Fact]:
        self._wait_for_replicas()
        return [found for name in step.what for found in getattr(self, f"_look_{name}")()]

    # Looks.

    def _look_topic(self) -> list[Fact]:
        names = [name.removesuffix(self.mark) for name in self.observer.topics(self.mark) if name != self.topic]
        others = sorted(name for name in names if not name.startswith(_SETTLED))[:_MOST_TOPICS]
        return logs.topic_facts(self.observer.topic(self.topic, self.settings), others)

    def _look_keys(self) -> list[Fact]:
        return logs.key_facts(self._read())

    def _look_values(self) -> list[Fact]:
        return logs.value_facts(self._read())

    def _look_order(self) -> list[Fact]:
        return logs.order_facts(self._read())

    def _look_times(self) -> list[Fact]:
        return logs.time_facts(self._read(), time.time() * 1000)

    def _look_headers(self) -> list[Fact]:
        return logs.header_facts(self._read())

    def _look_different(self) -> list[Fact]:
        return logs.different_facts(record.value for record in self._read())

    def _look_handled(self) -> list[Fact]:
        places = self._places()
        groups = list(dict.fromkeys(program.group for program in self._all()))
        found = self._made_up()
        for group in groups:
            facts = logs.handled_facts(places, [program.handled for program in self._all() if program.group == group])
            found += facts if len(groups) == 1 else [logs.fact(f"{self._name(group)}: {each['what']}", each["is"]) for each in facts]
        return found

    def _look_at_least_once(self) -> list[Fact]:
        group = self._group(None)
        programs = [program for program in self._all() if program.group == group]
        again = [place for program in programs for place in self.committed_before[program.number] & set(program.handled)]
        return logs.at_least_once_facts(self._places(), self._handled(group), again) + self._made_up()

    def _look_offsets(self) -> list[Fact]:
        starts, ends = self.observer.bounds(self.topic)
        group = self._group(None)
        return logs.offset_facts(self._name(group), ends, starts, self.observer.committed(group, self.topic))

    def _look_ahead(self) -> list[Fact]:
        group = self._group(None)
        committed = self.observer.committed(group, self.topic)
        return logs.ahead_facts(self._name(group), committed, self._places(), self._handled(group))

    def _look_members(self) -> list[Fact]:
        return logs.member_facts(self._wait_for_members(self._group(None)).values())

    # What steps and looks are made of.

    def _made_up(self) -> list[Fact]:
        return logs.made_up_facts(self.observer.ends(self.topic), [program.handled for program in self._all()])

    def _topic_name(self, name: str | None) -> str:
        return f"{name}{self.mark}" if name else self.topic

    def _group(self, name: str | None) -> str:
        return f"{name or self.request.parameters.get('group', 'group')}{self.mark}"

    def _name(self, group: str) -> str:
        return group.removesuffix(self.mark)

    def _read(self) -> list[logs.Record]:
        found, room = [], _MOST_READ
        for record in self.observer.records(self.topic, self.deadline):
            headers = sum(len(name) + len(value) for name, value in record.headers)
            room -= _OWN_BYTES + len(record.key or b"") + len(record.value or b"") + headers
            if room < 0:
                raise self._too_much()
            found.append(record)
        return found

    def _places(self) -> list[Place]:
        """Partition and offset of every record of the topic."""
        starts, ends = self.observer.bounds(self.topic)
        if sum(end - starts.get(partition, end) for partition, end in ends.items()) > _MOST_READ // _OWN_BYTES:
            raise self._too_much()
        return [(partition, offset) for partition, end in sorted(ends.items()) for offset in range(starts.get(partition, end), end)]

    def _too_much(self) -> StoppedError:
        return StoppedError(Failure("too_much_output", step=self.step))

    def _start(self, step: Call | Join) -> Program:
        function, group = self.request.function, self._group(step.group)
        values: dict[str, object] = {**self.request.parameters, **step.parameters}
        values["topic"] = f"{values.get('topic', 'topic')}{self.mark}"
        values["group"] = group

        def request(number: int) -> StartProgram:
            return StartProgram(
                id=number,
                source=self.request.source,
                function=function.name,
                bootstrap=self.cluster.bootstrap,
                parameters={name: values[name] for name in function.parameters},
                provides=function.provides,
                handle=step.handle,
                readings=step.readings,
                pause_at=step.pause_at,
                mark=self.mark,
                limits=self.request.limits,
            )

        committed = self._committed(group)
        program = self.started[step.name] = self.programs.start(group, request)
        self.committed_before[program.number] = committed
        return program

    def _committed(self, group: str) -> set[Place]:
        committed = self.observer.committed(group, self.topic)
        return {place for place in self._places() if place[1] < committed.get(place[0], 0)}

    def _timeout(self) -> StoppedError:
        return StoppedError(Failure("timeout", str(self.request.time_limit), step=self.step))

    def _ended(self, name: str, program: Program) -> Fact:
        """How a program ended. Raises StoppedError for a failure of its own, UnreachableError for ours."""
        self._over(name, program)
        if program.fault:
            raise UnreachableError(program.fault)
        if program.failure:
            raise StoppedError(replace(program.failure, step=self.step))
        if program.ended is None and not program.died:
            raise StoppedError(Failure("exited", step=self.step))
        return logs.fact(name, "died where the fixture ends it" if program.died else program.ended)

    def _over(self, name: str, program: Program) -> None:
        del self.started[name]
        self.ended.append(program)

    def _handled(self, group: str) -> set[Place]:
        return {place for program in self._all() if program.group == group for place in program.handled}

    def _wait_for_members(self, group: str) -> dict[str, int]:
        """A group's members once all its programs are, or when patience is over: sooner where nobody tries to join."""
        start = time.monotonic()
        before, sign = self.observer.members(group), False
        while True:
            running = [program for program in self.started.values() if program.group == group and not program.gone]
            found = self.observer.members(group)
            sign = sign or found != before
            late = time.monotonic() > min(self.deadline, start + (_PATIENCE if sign else _FIRST_SIGN))
            if (found is not None and len(found) == len(running)) or not running or late or self.nobody_joins:
                self.nobody_joins = self.nobody_joins or (late and not sign)
                return found or {}
            for program in running:
                program.hear(time.monotonic() + _BREATH)

    def _wait_for_records(self, count: int) -> None:
        """Until so many are on all replicas in sync, so that what a killed leader takes along is not left to chance."""
        _holds(lambda: len(self._places()) >= count, min(self.deadline, time.monotonic() + 2))

    def _wait_for_replicas(self) -> None:
        """Until consumers can read what leaders have: a program that does not wait for all replicas ends before they have it."""
        _holds(lambda: not self.observer.waits_for_replicas(self.topic), min(self.deadline, time.monotonic() + _PATIENCE))

    def _settle(self) -> None:
        """Have every broker know what topics there are, where that is looked at."""
        if self.looks_at_topic:
            self.settled += 1
            self.observer.settle(f"{_SETTLED}{self.settled}{self.mark}")

    def _end_broker(self, which: str, verb: str) -> None:
        assert isinstance(self.cluster, Cluster)
        partition = self.observer.partitions(self.topic)[0]
        others = [number for number in partition["isr_nodes"] if number != partition["leader_id"]]
        self.stopped = int(partition["leader_id"] if which == "leader" else others[0])
        self.cluster.tell(verb, self.stopped)

    def _wait_for_isr(self, holds: Callable[[list[int], int], bool]) -> None:
        """Until the in-sync replicas of every partition that the stopped broker has are as they must be."""
        assert self.stopped is not None
        number = self.stopped

        def agreed() -> bool:
            found = [partition for partition in self.observer.partitions(self.topic) if number in partition["replica_nodes"]]
            return all(holds(partition["isr_nodes"], number) for partition in found)

        if not _holds(agreed, time.monotonic() + 60):
            raise UnreachableError("The brokers do not agree on the replicas in sync.")


def _holds(state: Callable[[], bool], until: float) -> bool:
    """Whether a state of the brokers, which have no event for it, is reached by then."""
    while not state():
        if time.monotonic() > until:
            return False
    return True


def _ends(program: Program, until: float) -> bool:
    """Whether a program's process is gone by then; what it says meanwhile is taken in."""
    while not program.gone and program.hear(until):
        pass
    return program.gone


def _never() -> None:
    """A student's own broker is not watched."""


def kafka_steps(request: Request) -> list[KafkaStep]:
    """The steps of a request's fixture."""
    return [step for step in request.fixture.steps if isinstance(step, get_args(KafkaStep))]


def observe(cluster: Cluster | Background, programs: Programs, request: Request) -> Observation:
    """Replay a request. Raises whatever is no fault of the submission's, and BrokerLostError."""
    check = cluster.check if isinstance(cluster, Cluster) else _never
    with Observer(cluster.bootstrap, check) as observer:
        return Replay(cluster, programs, observer, request).run()
