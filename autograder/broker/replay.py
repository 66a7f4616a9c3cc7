"""Replay a fixture against real brokers: one step after the other, each waited for by what it brings about."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import groupby
from typing import get_args

from autograder.broker import looks
from autograder.broker.background import Background
from autograder.broker.cluster import Cluster
from autograder.broker.observer import Observer, UnreachableError
from autograder.broker.programs import Program, Programs
from autograder.broker.scene import BREATH, PATIENCE, Scene, StoppedError
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

#: Seconds between two looks whether the brokers still run, for which a program may wait in vain.
_LOOK = 1.0
#: Seconds within which brokers agree who is in sync, and within which records reach all replicas.
_AGREE, _REACH = 60, 2


class Replay:
    """One fixture in topics and groups of its own."""

    def __init__(self, programs: Programs, scene: Scene) -> None:
        self.programs, self.scene = programs, scene
        self.observer, self.clock = scene.observer, scene.clock
        self.looks_at_topic = any(isinstance(step, Observe) and "topic" in step.what for step in kafka_steps(scene.request))
        self.member_ids: dict[int, set[str]] = {}
        self.settled = 0

    def run(self) -> Observation:
        """Every step; what is wrong with the submission is in the observation, what is wrong with us is raised."""
        began = time.monotonic()
        steps: list[StepOutput] = []
        failure = None
        try:
            for index, step in enumerate(kafka_steps(self.scene.request)):
                self.scene.step = index
                facts = self._do(step)
                steps.append(StepOutput((Batch(tuple(facts)),) if facts is not None else ()))
        except StoppedError as stopped:
            failure = stopped.failure
        finally:
            printed = next((program.printed for program in self.scene.programs if program.printed), "")
            self._clean()
        seconds = round(time.monotonic() - began, 3)
        return Observation((), (), failure, printed, seconds) if failure else Observation(tuple(steps), (), None, printed, seconds)

    def _clean(self) -> None:
        scene = self.scene
        for program in scene.programs:  # also those that are gone: they may only have said so
            program.kill()
        if scene.stopped is not None:
            self._start_broker()
        if isinstance(scene.cluster, Background):
            groups = {program.group for program in scene.programs}
            try:
                for program in scene.started.values():
                    scene.ends(program, self.clock.now() + PATIENCE)
                for group in groups:
                    self.observer.remove_members(group, self.observer.member_ids(group))
            finally:
                self.observer.forget(scene.mark, groups)

    def _do(self, step: KafkaStep) -> list[Fact] | None:
        """One step; the facts that it tells, or None."""
        match step:
            case Call():
                return self._call(step)
            case Leave():
                return self._leave(step)
            case Observe(what=what):
                return looks.facts(self.scene, what)
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
                self.observer.delete_records(self.scene.topic, partition, before)
            case StopBroker(which=which):
                self._stop_broker(which)
            case KillBroker(which=which):
                self._end_broker(which, "kill")
            case StartBroker():
                self._start_broker()

    def _make_topic(self, step: MakeTopic) -> None:
        self.scene.settings |= set(step.settings)
        # Records of a fixture may be years old: retention would take them away in the middle of a replay.
        settings = {"retention.ms": "-1", **step.settings}
        self.observer.make_topic(self.scene.topic_name(step.name), Topic(step.partitions, step.replication, settings))
        self._settle()

    def _send_records(self, step: SendRecords) -> None:
        for name, found in groupby(step.records, lambda record: record.topic):
            self.observer.send(self.scene.topic_name(name), list(found))

    def _call(self, step: Call) -> list[Fact]:
        program = self._start(step)
        while not program.gone:
            if not program.hear(_LOOK):  # how much it says is bounded, so it falls silent
                self.observer.check()
                if self.clock.now() > self.scene.deadline:
                    raise self.scene.timeout()
            if program.paused:
                program.paused = False
                if step.kill_leader:
                    self._wait_for_records(step.pause_at or 0)
                    self._end_broker("leader", "kill")
                program.tell(GO_ON)
        self._settle()
        return [self._ended(step.name)]

    def _join(self, step: Join) -> None:
        program = self._start(step)
        before = {member for members in self.member_ids.values() for member in members}
        found = self.scene.members(program.group)
        self.member_ids[program.number] = set(found) - before

    def _leave(self, step: Leave) -> list[Fact]:
        scene, name = self.scene, step.name
        program = scene.started[name]
        program.tell(STOP)
        patience = self.clock.now() + PATIENCE
        if scene.ends(program, min(patience, scene.deadline)):
            return [self._ended(name)]
        if patience >= scene.deadline:
            raise scene.timeout()
        self._killed(name)
        return [logs.fact(name, "did not end when running() said so")]

    def _killed(self, name: str) -> None:
        program = self.scene.started[name]
        program.kill()
        if not self.scene.ends(program, self.scene.deadline):
            raise self.scene.timeout()
        self.scene.over(name)

    def _until_handled(self) -> None:
        scene = self.scene
        wanted = set(scene.places())
        patience = min(scene.deadline, self.clock.now() + PATIENCE)
        groups = {program.group for program in scene.started.values()}
        while any(wanted - scene.handled(group) for group in groups) and self.clock.now() < patience:
            for program in scene.started.values():
                while program.hear(BREATH):
                    pass
            if all(program.gone for program in scene.started.values()):
                return

    def _session_timeout_passes(self) -> None:
        scene = self.scene
        for name in [name for name, program in scene.started.items() if program.gone]:
            scene.over(name)
        for program in scene.ended:
            self.observer.remove_members(program.group, self.member_ids.pop(program.number, set()))
        groups = {program.group for program in scene.ended} - {program.group for program in scene.started.values()}
        for group in groups:  # nobody is left: whoever is still a member is gone
            self.observer.remove_members(group, self.observer.member_ids(group))
        for group in {program.group for program in scene.started.values()}:
            scene.members(group)

    def _stop_broker(self, which: str) -> None:
        self._end_broker(which, "stop")
        self._wait_for_isr(lambda isr, number: number not in isr)

    def _start_broker(self) -> None:
        assert self.scene.stopped is not None
        assert isinstance(self.scene.cluster, Cluster)
        self.scene.cluster.tell("start", self.scene.stopped)
        self._wait_for_isr(lambda isr, number: number in isr)
        self.scene.stopped = None

    def _start(self, step: Call | Join) -> Program:
        scene = self.scene
        function, group = scene.request.function, scene.group(step.group)
        values: dict[str, object] = {**scene.request.parameters, **step.parameters}
        values["topic"] = f"{values.get('topic', 'topic')}{scene.mark}"
        values["group"] = group
        bootstrap = scene.bootstrap()

        def request(number: int) -> StartProgram:
            return StartProgram(
                id=number,
                source=scene.request.source,
                function=function.name,
                bootstrap=bootstrap,
                parameters={name: values[name] for name in function.parameters},
                provides=function.provides,
                handle=step.handle,
                readings=step.readings,
                pause_at=step.pause_at,
                mark=scene.mark,
                limits=scene.request.limits,
            )

        committed = self._committed(group)
        program = scene.started[step.name] = self.programs.start(group, request)
        scene.committed_before[program.number] = committed
        return program

    def _committed(self, group: str) -> set[Place]:
        committed = self.observer.committed(group, self.scene.topic)
        return {place for place in self.scene.places() if place[1] < committed.get(place[0], 0)}

    def _ended(self, name: str) -> Fact:
        """How a program ended. Raises StoppedError for a failure of its own, UnreachableError for ours."""
        program = self.scene.over(name)
        if program.fault:
            raise UnreachableError(program.fault)
        if program.failure:
            raise self.scene.failed(program.failure)
        if program.ended is None and not program.died:
            raise self.scene.failed(Failure("exited"))
        return logs.fact(name, "died where the fixture ends it" if program.died else program.ended)

    def _wait_for_records(self, count: int) -> None:
        """Until so many are on all replicas in sync, so that what a killed leader takes along is not left to chance."""
        self.scene.holds(lambda: len(self.scene.places()) >= count, min(self.scene.deadline, self.clock.now() + _REACH))

    def _settle(self) -> None:
        """Have every broker know what topics there are, where that is looked at."""
        if self.looks_at_topic:
            self.settled += 1
            self.observer.settle(f"{looks.SETTLED}{self.settled}{self.scene.mark}")

    def _end_broker(self, which: str, verb: str) -> None:
        assert isinstance(self.scene.cluster, Cluster)
        partition = self.scene.partition()
        others = [number for number in partition["isr_nodes"] if number != partition["leader_id"]]
        if which != "leader" and not others:
            raise self.scene.unreadable()
        self.scene.stopped = int(partition["leader_id"] if which == "leader" else others[0])
        self.scene.cluster.tell(verb, self.scene.stopped)

    def _wait_for_isr(self, holds: Callable[[list[int], int], bool]) -> None:
        """Until the in-sync replicas of every partition that the stopped broker has are as they must be."""
        assert self.scene.stopped is not None
        number = self.scene.stopped

        def agreed() -> bool:
            found = [partition for partition in self.observer.partitions(self.scene.topic) if number in partition["replica_nodes"]]
            return all(holds(partition["isr_nodes"], number) for partition in found)

        if not self.scene.holds(agreed, self.clock.now() + _AGREE):
            raise UnreachableError("The brokers do not agree on the replicas in sync.")


def kafka_steps(request: Request) -> list[KafkaStep]:
    """The steps of a request's fixture."""
    return [step for step in request.fixture.steps if isinstance(step, get_args(KafkaStep))]


def observe(cluster: Cluster | Background, programs: Programs, request: Request) -> Observation:
    """Replay a request. Raises whatever is no fault of the submission's, and BrokerLostError."""
    with Observer(cluster.bootstrap, cluster.check) as observer:
        return Replay(programs, Scene(cluster, observer, request)).run()
