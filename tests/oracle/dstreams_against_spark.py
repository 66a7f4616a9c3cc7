"""The oracle's DStream operators against real Spark: many random streams in one context, under a manual clock."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from autograder import oracle

_BATCHES = 9
_KEYS = ("a", "b", "c")
# A checkpoint pickles the sinks by name, so what they write to is this module's own.
_found: dict[int, dict[int, list[Any]]] = {}
_ticks: list[int] = []


def _collect(case: int, time: Any, rdd: Any) -> None:
    _found.setdefault(case, {})[int(time.timestamp())] = sorted(rdd.collect(), key=repr)


def _tick(time: Any, _rdd: Any) -> None:
    _ticks.append(int(time.timestamp()))


def _add(a: int, b: int) -> int:
    return a + b


def _subtract(a: int, b: int) -> int:
    return a - b


def _positive(pair: tuple[str, int]) -> bool:
    return pair[1] > 0


def _update(new: list[int], state: Any) -> Any:
    total, quiet = state or (0, 0)
    quiet = 0 if new else quiet + 1
    return None if quiet >= 2 else (total + sum(new), quiet)


def case(seed: int) -> tuple[list[list[Any]], Callable[[Any], Any], list[list[Any] | None]]:
    """Batches, the query on a DStream, and what the oracle says."""
    chance = random.Random(seed)
    batches: list[list[Any]] = [
        [(chance.choice(_KEYS), chance.randint(0, 3)) for _ in range(chance.choice([0, 1, 2, 3]))] for _ in range(_BATCHES)
    ]
    window, slide = chance.choice([(1, 1), (3, 1), (4, 2), (5, 1), (6, 1), (2, 3), (7, 1)])
    inverse = chance.choice([None, _subtract, _subtract])
    keep = chance.choice([None, _positive]) if inverse else None
    kind = chance.choice(["pairs", "pairs", "pairs", "peak", "state", "window"])
    if kind == "pairs":
        return (
            batches,
            lambda s: s.reduceByKeyAndWindow(_add, inverse, window, slide, filterFunc=keep),
            oracle.reduce_by_key_and_window(batches, _add, window, slide, inverse, keep),
        )
    if kind == "peak":
        values = [[value for _, value in batch] for batch in batches]
        return values, lambda s: s.reduceByWindow(max, None, window, slide), oracle.reduce_by_window(values, max, window, slide)
    if kind == "state":
        return batches, lambda s: s.updateStateByKey(_update), list(oracle.update_state_by_key(batches, _update))
    return batches, lambda s: s.window(window, slide), oracle.windowed(batches, window, slide)


def run(context: Any, count: int, scratch: Path) -> list[str]:
    """Compare so many cases; the seeds at which oracle and Spark differ, with both answers."""
    from pyspark.streaming import StreamingContext

    _found.clear()
    _ticks.clear()
    streaming = StreamingContext(context, 1)
    streaming.checkpoint(str(scratch / "dstreams"))
    expected = {}
    for seed in range(count):
        batches, build, answer = case(seed)
        expected[seed] = {time: sorted(out, key=repr) for time, out in enumerate(answer, 1) if out is not None}
        build(streaming.queueStream(batches)).foreachRDD(partial(_collect, seed))
    streaming.queueStream([[1]]).foreachRDD(_tick)
    streaming.start()
    clock = streaming._jssc.ssc().scheduler().clock()
    for batch in range(_BATCHES):
        clock.advance(1000)
        while len(_ticks) <= batch:
            streaming.awaitTerminationOrTimeout(0.01)
    streaming.stop(stopSparkContext=False, stopGraceFully=False)
    return [
        f"seed {seed}: oracle {expected[seed]}, Spark {_found.get(seed, {})}" for seed in expected if expected[seed] != _found.get(seed, {})
    ]
