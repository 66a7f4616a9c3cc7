"""The kit's own engines. What they run is imported when it is first needed: naming an engine costs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.engines.base import Engine, Observed, Workplace
from autograder.machine.progress import Progress
from autograder.model import Ask, Call, Drive, KillBroker, Request, StopBroker


@dataclass(frozen=True)
class SparkEngine:
    """A function replayed in a local Spark's process; ``serial``: only one of its replays at a time in a JVM."""

    name: str
    drives: tuple[Drive, ...]
    provides: tuple[str, ...] = ()
    tells_silence: bool = False
    serial: bool = False
    needs_brokers: bool = False
    has_columns: bool = True
    shares: str = "spark"

    def exclusive(self, request: Request) -> str:  # noqa: ARG002  # the same for all its requests
        """A JVM runs one StreamingContext at a time."""
        return self.name if self.serial else ""

    def positional(self, request: Request) -> int:
        """A stream for each source; a plain function has what it is asked."""
        asked = max((len(step.arguments) for step in request.fixture.steps if isinstance(step, Ask)), default=0)
        return len(request.function.sources) or asked

    def prepare(self, progress: Progress) -> None:
        """Java, and Spark's class cache where it can be made. Raises KitError without a suitable Java."""
        from autograder.engines import spark_replays

        spark_replays.prepare(progress)

    def observe(self, requests: Sequence[Request], workplace: Workplace) -> Iterator[Observed]:
        """Replayed in one process, several at once; after hundreds of them in another one."""
        from autograder.engines.renewed import Renewed
        from autograder.engines.spark_replays import SparkReplays

        return workplace.started(self.shares, lambda: Renewed(SparkReplays(workplace.sandbox))).observe(requests, _exclusive)


@dataclass(frozen=True)
class KafkaEngine:
    """A function that works on brokers, called in a process of its own."""

    name: str = "kafka"
    drives: tuple[Drive, ...] = (Drive("kafka", on_brokers=True),)
    provides: tuple[str, ...] = ("handle", "running", "readings")
    tells_silence: bool = False
    needs_brokers: bool = True
    has_columns: bool = False
    shares: str = "brokers"

    def exclusive(self, request: Request) -> str:
        """A fixture that stops a broker has the brokers to itself."""
        stops = any(
            isinstance(step, (StopBroker, KillBroker)) or (isinstance(step, Call) and step.kill_leader) for step in request.fixture.steps
        )
        return "brokers" if stops else ""

    def positional(self, request: Request) -> int:  # noqa: ARG002  # the same for all its requests
        """The brokers' address."""
        return 1

    def prepare(self, progress: Progress) -> None:
        """Java, Kafka's jars and the brokers' class cache. Raises KitError when Kafka cannot be fetched."""
        from autograder.engines import kafka_replays

        kafka_replays.prepare(progress)

    def observe(self, requests: Sequence[Request], workplace: Workplace) -> Iterator[Observed]:
        """Replayed on brokers that all replays share."""
        from autograder.engines.kafka_replays import KafkaReplays

        replays = workplace.started(self.shares, lambda: KafkaReplays(workplace.background, workplace.sandbox), shared=True)
        return replays.observe(requests, self.exclusive)


BUILTIN: tuple[Engine, ...] = (
    SparkEngine("structured", (Drive("step"), Drive("staged", no_data_batches=False)), provides=("checkpoint", "store")),
    SparkEngine("dstream", (Drive("batch", empty_batches=True),), provides=("checkpoint",), tells_silence=True, serial=True),
    SparkEngine("plain", (Drive("call"),)),
    KafkaEngine(),
)


def _exclusive(request: Request) -> str:
    """What runs beside what, of the requests of several engines that share a process."""
    return next(engine for engine in BUILTIN if engine.name == request.function.engine).exclusive(request)
