"""The brokers and programs of one grading, started when they are first needed and shared by all replays that can share them."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from kafka.errors import KafkaError

from autograder.broker.cluster import BrokerLostError, Cluster, broker
from autograder.broker.observer import UnreachableError
from autograder.broker.programs import Programs, ProgramsLostError
from autograder.broker.replay import observe
from autograder.broker.standing import Standing
from autograder.model import GraderFaultError, Observation, Request

#: Replays at once by number of brokers: those that stop brokers are alone on them.
_AT_ONCE = {1: 3, 3: 1}


class KafkaEngine:
    """Replays on brokers of its own, or where one broker is enough on the one that a student left running."""

    def __init__(self, standing: Standing | None = None) -> None:
        self._standing = standing
        self._stack = contextlib.ExitStack()
        self._lock = {number: threading.Lock() for number in (0, *_AT_ONCE)}
        self._clusters: dict[int, tuple[Cluster, contextlib.ExitStack]] = {}
        self._programs: Programs | None = None
        self._pools = {number: ThreadPoolExecutor(workers) for number, workers in _AT_ONCE.items()}

    def submit(self, requests: Sequence[Request]) -> dict[Future[Observation], Request]:
        """Begin all replays; results come as futures, faults of ours as GraderFaultError."""
        return {self._pools[request.fixture.brokers].submit(self._observe, request): request for request in requests}

    def _observe(self, request: Request) -> Observation:
        number = request.fixture.brokers
        try:
            cluster = self._cluster(number)
            if isinstance(cluster, Cluster):
                cluster.check()
            found = observe(cluster, self._started_programs(), request)
            if isinstance(cluster, Cluster):
                cluster.check()
        except (BrokerLostError, KafkaError, UnreachableError, ProgramsLostError, OSError) as error:
            raise GraderFaultError(f"{self._lost(number) or error}") from error
        return found

    def _cluster(self, number: int) -> Cluster | Standing:
        if number == 1 and self._standing:
            return self._standing
        with self._lock[number]:
            if number not in self._clusters:
                stack = contextlib.ExitStack()
                self._clusters[number] = (stack.enter_context(broker(number)), stack)
            return self._clusters[number][0]

    def _lost(self, number: int) -> str:
        """What ended the brokers, if they have ended; the next replay gets new ones."""
        with self._lock[number]:
            if number not in self._clusters:
                return ""
            cluster, stack = self._clusters[number]
            try:
                cluster.check()
            except BrokerLostError as error:
                del self._clusters[number]
                stack.close()
                return str(error)
            return ""

    def _started_programs(self) -> Programs:
        with self._lock[0]:
            if self._programs is None:
                self._programs = Programs()
            return self._programs

    def close(self) -> None:
        """End what runs; no process, port or file is left."""
        for pool in self._pools.values():
            pool.shutdown(wait=True, cancel_futures=True)
        if self._programs:
            self._programs.close()
        for _, stack in self._clusters.values():
            stack.close()


@contextlib.contextmanager
def kafka_engine(standing: Standing | None = None) -> Iterator[KafkaEngine]:
    """An engine for a while; nothing is started before it is needed."""
    engine = KafkaEngine(standing)
    try:
        yield engine
    finally:
        engine.close()


def results(futures: dict[Future[Observation], Request]) -> Iterator[tuple[Request, Observation | GraderFaultError]]:
    """Every replay's observation as it comes."""
    for future in as_completed(futures):
        try:
            yield futures[future], future.result()
        except GraderFaultError as fault:
            yield futures[future], fault
        except Exception as error:  # noqa: BLE001  # whatever fails here is our fault and gives no marks
            yield futures[future], GraderFaultError(f"{type(error).__name__}: {error}")
