"""Replay a fixture through a DStream: one batch a step, on a clock that only the replay moves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from autograder.untrusted.session import Joined
from autograder.untrusted.stopped import Stopped, from_exception
from autograder.untrusted.structured import plain
from autograder.untrusted.submission import FILE, traps
from autograder.wire import Add, Batch, ReplayAnswer, ReplayRequest, Row

_BATCH_SECONDS = 1
_HOUR = 3_600_000

# What the sinks write to. A checkpoint pickles the sinks: they are functions of this module, which pickle by name, and
# what they write to is the module's own. There is one replay in a process.
_outputs: dict[int, list[Any]] = {}
_ended: set[int] = set()
#: What the streams' functions gave to the JVM, and as what they raised.
_given: list[Any] = []
_raised: list[str] = []


def _collect(time: Any, rdd: Any) -> None:
    """Write down every output by its batch time, in seconds since the stream began."""
    _outputs[int(time.timestamp()) // _BATCH_SECONDS] = [_cells(element) for element in rdd.collect()]


def _tick(time: Any, _rdd: Any) -> None:
    """Write down that a batch's jobs are through. Py4J may call twice, when it had to connect anew: batches are told by their time."""
    _ended.add(int(time.timestamp()) // _BATCH_SECONDS)


class Replay:
    """One fixture, one function, one StreamingContext."""

    def __init__(self, joined: Joined, build: Callable[..., Any], request: ReplayRequest, scratch: Path) -> None:
        from pyspark.streaming import StreamingContext

        context = joined.context
        self.context, self.build, self.request, self.scratch = context, build, request, scratch
        # The check for a checkpoint folder looks at the SparkContext, where an earlier replay may have set one.
        scala = context._jsc.sc()
        getattr(scala, "checkpointDir_$eq")(context._jvm.scala.Option.apply(None))
        self.streaming = StreamingContext(context, _BATCH_SECONDS)
        self.write_graph_rarely()
        _end_loops_quickly()
        _keep_what_is_given()
        for kept in (_outputs, _ended, _given, _raised):
            kept.clear()

    def run(self, part: range) -> ReplayAnswer:
        """Start, move the clock batch by batch, stop; what was observed. Raises Stopped with the step at which it went wrong."""
        self.start()
        clock = self.streaming._jssc.ssc().scheduler().clock()
        for index in part:
            clock.advance(_BATCH_SECONDS * 1000)
            self.wait(index)
        times = [index + 1 for index in part]
        return ReplayAnswer(self.request.id, steps=tuple((Batch(_outputs[time]),) if time in _outputs else () for time in times))

    def start(self) -> None:
        """Call the submission's function on queue streams, listen to what it returns, start the context."""
        streams = [self.queue(name) for name in self.request.sources]
        self.call(streams).foreachRDD(_collect)
        streams[0].foreachRDD(_tick)  # last: jobs run in order, so this ends the batch
        try:
            self.streaming.start()
        except Exception as error:
            raise from_exception(error, FILE, "refused") from error

    def write_graph_rarely(self) -> None:
        """No replay goes on from a checkpoint of the graph, and writing it twice a batch pickles every function each time."""
        scala = self.streaming._jssc.ssc()
        duration = scala.getClass().getDeclaredField("checkpointDuration")
        duration.setAccessible(True)
        duration.set(scala, self.context._jvm.org.apache.spark.streaming.Duration(_HOUR))

    def queue(self, name: str) -> Any:
        """A stream of the fixture's batches."""
        batches = [[_element(row) for row in step.rows.get(name, ())] for step in self.request.steps if isinstance(step, Add)]
        return self.streaming.queueStream([self.context.parallelize(batch, self.request.partitions) for batch in batches])

    def call(self, streams: list[Any]) -> Any:
        """What the submission's function makes of the streams."""
        from pyspark.streaming import DStream

        provides = {"checkpoint": str(self.scratch / "checkpoint")}
        keywords = {**self.request.parameters, **{name: provides[name] for name in self.request.provides}}
        try:
            with traps():
                result = self.build(*streams, **keywords)
        except BaseException as error:
            raise from_exception(error, FILE, "raised") from error
        if result is None:
            raise Stopped("returned_none", "DStream")
        if not isinstance(result, DStream):
            raise Stopped("returned_other", f"{type(result).__name__}, not DStream")
        self.refuse_other_checkpoint(provides["checkpoint"])
        return result

    def refuse_other_checkpoint(self, given: str) -> None:
        """A program keeps its state in the folder that it is given, if it keeps any."""
        used = str(self.streaming._jssc.ssc().checkpointDir() or "")
        if "checkpoint" in self.request.provides and used and not used.removeprefix("file:").startswith(given):
            raise Stopped("other_checkpoint")

    def wait(self, index: int) -> None:
        """Until the batch of this step is through, and known to be.

        A job that fails is reported by the scheduler's own thread, maybe after the last job of its batch has run. The batch
        is pending until that thread has seen all its jobs.
        """
        scheduler = self.streaming._jssc.ssc().scheduler()
        while index + 1 not in _ended or not scheduler.getPendingTimes().isEmpty():
            self.raise_failure(index)
        self.raise_failure(index)

    def raise_failure(self, index: int) -> None:
        """Raise what a function or a job failed of, if one has; else let a few milliseconds pass, in which it may."""
        failed: Exception | None = None
        try:
            self.streaming.awaitTerminationOrTimeout(0.002)  # type: ignore[arg-type]  # seconds, times 1000 inside
        except Exception as error:  # noqa: BLE001  # what it was of is told below
            failed = error
        if _raised:  # the JVM asks for it in a second call; on a busy machine errors were seen to get lost on that way
            failed = RuntimeError(_raised[0])
        if failed:
            raise from_exception(failed, FILE, "raised_at_step", index) from failed

    def clean(self) -> None:
        """Stop the context and keep the SparkContext for the next replay."""
        self.streaming.stop(stopSparkContext=False, stopGraceFully=False)


def _end_loops_quickly() -> None:
    """Py4J ends a loop over a Java list by an error, and PySpark asks Java a dozen questions about every error."""
    from py4j import java_gateway, protocol  # type: ignore[import-untyped]  # py4j has no types

    captured = java_gateway.get_return_value

    def quick(answer: Any, client: Any, target: Any = None, name: Any = None) -> Any:
        return (protocol.get_return_value if name == "next" else captured)(answer, client, target, name)

    java_gateway.get_return_value = quick


def _keep_what_is_given() -> None:
    """Note what functions raise, and let no RDD be collected that one has just given to the JVM.

    Py4J passes it by a number, which the JVM forgets when Python has collected the object: sometimes before it has looked it up. The
    batch then has no RDD, and neither its output nor its error is ever seen.
    """
    from pyspark.streaming.util import TransformFunction

    call = TransformFunction.call

    def kept(self: Any, milliseconds: int, rdds: Any) -> Any:
        _given.append(call(self, milliseconds, rdds))  # type: ignore[no-untyped-call]  # PySpark's own
        if self.failure:
            _raised.append(self.failure)
        return _given[-1]

    TransformFunction.call = kept  # type: ignore[method-assign]  # so it is called for every batch


def _element(row: Row) -> Any:
    values = tuple(row.values())
    return values[0] if set(row) == {"value"} else values


def _cells(element: Any) -> Any:
    return [plain(cell) for cell in element] if isinstance(element, tuple) else [plain(element)]
