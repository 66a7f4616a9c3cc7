"""Replays on brokers: those of one grading, started when they are first needed and shared by all replays that can share them."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from kafka.errors import KafkaError

from autograder.broker import jars, warmup
from autograder.broker.background import Background
from autograder.broker.cluster import BrokerLostError, Cluster, broker
from autograder.broker.observer import UnreachableError
from autograder.broker.programs import Programs, ProgramsLostError
from autograder.broker.replay import observe
from autograder.engines.base import Observed
from autograder.machine import classcache
from autograder.machine.java import find_java
from autograder.machine.progress import Progress
from autograder.model import Failure, GraderFaultError, Observation, Request
from autograder.sandbox.bubblewrap import Sandbox

#: Replays at once by number of brokers.
_AT_ONCE = {1: 3, 3: 3}


def prepare(progress: Progress) -> None:
    """Java, Spark's class cache, Kafka's jars and its class cache. Raises KitError when Kafka cannot be fetched."""
    java = find_java()
    classcache.ensure(java, progress)
    jars.ensure(java, progress)
    warmup.ensure(java, progress)


class BrokersEndedError(Exception):
    """Brokers ended by themselves while a replay was on them."""


class Turns:
    """Who may be on the brokers: many beside each other, or one alone. Who wants to be alone is let in before those who come later."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._alone = False
        self._waiting = 0

    @contextlib.contextmanager
    def taken(self, alone: bool) -> Iterator[None]:
        """Wait for a turn, and give it back."""
        with self._changed:
            if alone:
                self._waiting += 1
                self._changed.wait_for(lambda: not self._inside and not self._alone)
                self._waiting -= 1
                self._alone = True
            else:
                self._changed.wait_for(lambda: not self._alone and not self._waiting)
                self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= not alone
                self._alone = self._alone and not alone
                self._changed.notify_all()


class KafkaReplays:
    """Replays on brokers of its own, or where one broker is enough on the one that a student left running."""

    def __init__(self, background: Background | None = None, sandbox: Sandbox | None = None) -> None:
        self._background, self._sandbox = background, sandbox
        self._lock = {number: threading.Lock() for number in (0, *_AT_ONCE)}
        self._turns = {number: Turns() for number in _AT_ONCE}
        self._clusters: dict[int, tuple[Cluster, contextlib.ExitStack]] = {}
        self._programs: Programs | None = None
        self._gone: list[Programs] = []
        self._pools = {number: ThreadPoolExecutor(workers) for number, workers in _AT_ONCE.items()}

    def observe(self, requests: Sequence[Request], exclusive: Callable[[Request], str]) -> Iterator[Observed]:
        """Every replay's observation as it comes. Those that ``exclusive`` names are begun last, each alone on its brokers."""
        ordered = sorted(requests, key=lambda request: bool(exclusive(request)))
        futures = {
            self._pools[request.fixture.brokers].submit(self._in_turn, request, bool(exclusive(request))): request for request in ordered
        }
        try:
            yield from _results(futures)
        finally:
            for future in futures:
                future.cancel()

    def _in_turn(self, request: Request, alone: bool) -> Observation:
        """A replay; if its brokers end while it runs, once more with nobody beside it, on new ones, which tells whose fault it was."""
        with contextlib.suppress(BrokersEndedError), self._turns[request.fixture.brokers].taken(alone):
            return self._observe(request)
        with self._turns[request.fixture.brokers].taken(alone=True):
            try:
                return self._observe(request)
            except BrokersEndedError:
                return Observation(failure=Failure("killed_brokers"))

    def _observe(self, request: Request) -> Observation:
        """A replay, in the process that it shares with others; if that is lost, once more in one of its own, which tells whose fault."""
        programs = self._started_programs()
        with contextlib.suppress(ProgramsLostError):
            return self._observed(request, programs)
        self._forget(programs)
        with Programs(self._sandbox) as alone:
            try:
                return self._observed(request, alone)
            except ProgramsLostError as lost:
                if str(lost):
                    return Observation(failure=Failure(str(lost)))
                raise GraderFaultError("The process that runs programs is gone.") from lost

    def _observed(self, request: Request, programs: Programs) -> Observation:
        try:
            cluster = self._cluster(request.fixture.brokers)
        except (BrokerLostError, OSError) as error:
            raise GraderFaultError(f"Kafka does not start: {error}") from error
        try:
            cluster.check()
            if isinstance(cluster, Cluster):
                programs.weigh(cluster.folder)
            programs.reach(cluster.ports)
            found = observe(cluster, programs, request)
            cluster.check()
        except (BrokerLostError, KafkaError, UnreachableError, OSError) as error:
            self._leave(request.fixture.brokers, cluster)
            raise GraderFaultError(str(error)) from error
        if programs.lost:
            raise ProgramsLostError(programs.fate())
        return found

    def _cluster(self, number: int) -> Cluster | Background:
        if number == 1 and self._background:
            return self._background
        with self._lock[number]:
            if number not in self._clusters:
                stack = contextlib.ExitStack()
                self._clusters[number] = (stack.enter_context(broker(number, sandbox=self._sandbox)), stack)
            return self._clusters[number][0]

    def _leave(self, number: int, cluster: Cluster | Background) -> None:
        """Give up brokers that have ended, so that the next replay gets new ones. Raises BrokersEndedError when they have."""
        if not isinstance(cluster, Cluster):
            return
        with self._lock[number]:
            try:
                cluster.check()
            except BrokerLostError as error:
                if number in self._clusters and self._clusters[number][0] is cluster:
                    self._clusters.pop(number)[1].close()
                raise BrokersEndedError(str(error)) from error

    def _started_programs(self) -> Programs:
        with self._lock[0]:
            if self._programs is None:
                self._programs = Programs(self._sandbox)
            return self._programs

    def _forget(self, programs: Programs) -> None:
        """Leave a process that is gone to others who still use it; the next replay gets a new one."""
        with self._lock[0]:
            if self._programs is programs:
                self._programs = None
                self._gone.append(programs)

    def close(self) -> None:
        """End what runs; no process, port or file is left."""
        for pool in self._pools.values():
            pool.shutdown(wait=True, cancel_futures=True)
        for programs in [*self._gone, *([self._programs] if self._programs else [])]:
            programs.close()
        for _, stack in self._clusters.values():
            stack.close()


def _results(futures: dict[Future[Observation], Request]) -> Iterator[Observed]:
    for future in as_completed(futures):
        try:
            yield futures[future], future.result()
        except GraderFaultError as fault:
            yield futures[future], fault
        except Exception as error:  # noqa: BLE001  # whatever fails here is our fault and gives no marks
            yield futures[future], GraderFaultError(f"{type(error).__name__}: {error}")
