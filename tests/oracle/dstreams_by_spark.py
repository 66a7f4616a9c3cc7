"""What real Spark gives for a DStream case, batch by batch, and when it is restarted from its checkpoint.

A restart happens in one process: a new StreamingContext is read from the checkpoint, on the SparkContext that is there.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

from autograder.untrusted import dstream
from autograder.wire import Add, ReplayRequest
from tests.oracle import dstream_cases
from tests.oracle.dstream_cases import Case
from tests.oracle.workers import joined

#: Of each batch its outputs: none, one, or two where a restart has run it again.
Answer = list[list[Any]]
_SCHEMA = {"pairs": (("key", "STRING"), ("n", "INT"))}


class Restarting(dstream.Replay):
    """A replay whose context is stopped and goes on from its checkpoint, with all batches at hand."""

    def queue(self, name: str) -> Any:
        """A stream whose batches are known by their time: Spark finds no queue again."""
        batches = [[tuple(row.values()) for row in step.rows[name]] for step in self.request.steps if isinstance(step, Add)]
        empty = self.scratch / "empty"
        empty.mkdir()
        return self.streaming.textFileStream(str(empty)).transform(_arriving(batches))

    def write_graph_rarely(self) -> None:
        """It goes on from this graph: it is written after every batch."""

    def outputs(self, restarts: Sequence[int]) -> Answer:
        """Of each batch its outputs; after so many batches it is restarted."""
        count = len(self.request.steps)
        found: Answer = [[] for _ in range(count)]
        self.start()
        for first, end in pairwise([0, *restarts, count]):
            if first:
                self.go_on(first)
            self.batches(range(first, end))
            for time, rows in dstream._outputs.items():
                found[time - 1].append(rows)
        return found

    def batches(self, part: range) -> None:
        """Move the clock batch by batch."""
        clock = self.streaming._jssc.ssc().scheduler().clock()
        for index in part:
            clock.advance(1000)
            self.wait(index)

    def go_on(self, batches: int) -> None:
        """Stop after so many batches, and start again from the checkpoint. Spark runs the last of these batches once more."""
        from pyspark.streaming import StreamingContext

        self.wait_for_checkpoint(batches)
        self.streaming.stop(stopSparkContext=False, stopGraceFully=False)
        dstream._outputs.clear()
        jvm, scala = self.context._jvm, self.context._jsc.sc()
        restored = jvm.org.apache.spark.streaming.StreamingContext(str(self.scratch / "checkpoint"), scala)
        self.streaming = StreamingContext(self.context, None, jvm.JavaStreamingContext(restored))
        self.streaming.start()

    def wait_for_checkpoint(self, batches: int) -> None:
        """Until the graph was written after the batch, too, and not only before it: then there is a backup of the first."""
        written = self.scratch / "checkpoint" / f"checkpoint-{batches * 1000}"
        while not (written.exists() and written.with_name(f"{written.name}.bk").exists()):
            self.raise_failure(batches - 1)


def _arriving(batches: Sequence[Sequence[Any]]) -> Callable[[Any, Any], Any]:
    return lambda time, rdd: rdd.context.parallelize(batches[int(time.timestamp()) - 1], 1)


def _replayed(case: Case, kind: Callable[..., dstream.Replay]) -> tuple[dstream.Replay, Path]:
    """A replay of a case, not started yet, and its folder."""
    warnings.simplefilter("ignore")
    session, scratch = joined()
    folder = Path(tempfile.mkdtemp(prefix="dstream-", dir=scratch))
    steps = tuple(Add({"pairs": tuple({"key": name, "n": n} for name, n in batch)}) for batch in case.batches)
    request = ReplayRequest(0, "", "", "dstream", ("pairs",), _SCHEMA, {}, ("checkpoint",), None, steps, 60)
    return kind(session, case.build, request, folder), folder


def _one(seed: int) -> Answer:
    run, folder = _replayed(dstream_cases.make(seed), dstream.Replay)
    try:
        found = run.run(range(len(run.request.steps))).steps
        return [[batch.rows for batch in batches] for batches in found]
    finally:
        run.clean()
        shutil.rmtree(folder, ignore_errors=True)


def _restarted(case: Case) -> Answer:
    run, folder = _replayed(case, Restarting)
    assert isinstance(run, Restarting)
    try:
        return run.outputs(case.restarts)
    finally:
        run.clean()
        shutil.rmtree(folder, ignore_errors=True)


def _one_restarted(seed: int) -> Answer:
    return _restarted(dstream_cases.make_restarted(seed))


def _initial_restarted(_: int) -> str:
    try:
        return json.dumps(_restarted(dstream_cases.initial_restarted()))
    except Exception as error:  # noqa: BLE001  # what Spark says is the answer
        return next((line for line in str(error).splitlines() if "SPARK-13758" in line), str(error))


def answers(pool: ProcessPoolExecutor, seeds: Sequence[int]) -> list[Answer]:
    """Spark's answers to the DStream cases of these seeds."""
    return list(pool.map(_one, seeds))


def restarted_answers(pool: ProcessPoolExecutor, seeds: Sequence[int]) -> list[Answer]:
    """Spark's answers to the DStream cases of these seeds that are restarted."""
    return list(pool.map(_one_restarted, seeds))


def initial_restarted(pool: ProcessPoolExecutor, seeds: Sequence[int]) -> list[str]:
    """What Spark says when a state that began with pairs is restarted."""
    return list(pool.map(_initial_restarted, seeds))


def difference(case: Case, spark: Answer) -> str:
    """The first batch at which the outputs differ, as text; empty when there is none."""
    for time, (ours, theirs) in enumerate(zip(case.oracle(), spark, strict=True), 1):
        said, got = ([sorted(json.dumps(row) for row in rows) for rows in outputs] for outputs in (ours, theirs))
        if said != got:
            names = [name for name, _, _ in case.operators]
            what = f"seed {case.seed}, window {case.window}, slide {case.slide}, restarts {case.restarts}, {names}"
            return f"{what}, batch {time} of {case.batches}\n{said}\nSpark:\n{got}"
    return ""
