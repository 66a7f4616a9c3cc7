"""Random streams and queries, each as the oracle's plan and as the same query in PySpark."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograder.oracle import CRASH, RESTART, Aggregate, Deduplicate, Query, Session, Watermark, Window

_SECOND = 1_000_000
_START = 1_709_546_400_000_000  # 2024-03-04T10:00:00Z
SCHEMA = "at TIMESTAMP, key STRING, n INT"


@dataclass(frozen=True)
class Case:
    """A stream, a plan, and a function that builds the same query on a DataFrame."""

    seed: int
    query: Query
    build: Callable[[Any], Any]
    steps: tuple[Any, ...]
    drive: str


def make(seed: int) -> Case:
    """The case of a seed."""
    chance = random.Random(seed)
    delay = chance.choice([0, 1, 30, 60, 90]) * _SECOND + chance.choice([0, 0, 1_000, 999])
    kind = chance.choice([_window, _window, _window, _keys, _duplicates, _duplicates_within, _session])
    query, build, edges = kind(chance, delay)
    return Case(seed, query, build, _steps(chance, delay, edges), chance.choice(["step", "step", "staged"]))


def _steps(chance: random.Random, delay: int, edges: list[int]) -> tuple[Any, ...]:
    """Times jump forward, fall back, and sit exactly on edges that the query and the watermark have."""
    steps: list[Any] = []
    now = _START
    for _ in range(chance.randint(3, 6)):
        if steps and chance.random() < 0.12:
            steps.append(chance.choice([RESTART, CRASH]))
            continue
        now += chance.choice([0, 10, 60, 150]) * _SECOND
        rows = [_row(chance, now, delay, edges) for _ in range(chance.choice([0, 1, 1, 2, 3, 4]))]
        steps.append(rows + [dict(row) for row in rows if chance.random() < 0.3])
    return tuple(steps)


def window(seed: int) -> tuple[int, int | None, int]:
    """Length, slide and start (us) of a window that Spark may refuse: at the bounds, and a microsecond to either side of them."""
    chance = random.Random(seed)
    length, slide = chance.choice([(60, 60), (60, 20), (50, 20), (0, 0), (60, 0), (60, None)])
    start = chance.choice([0, 7, slide or length, -(slide or length)])
    length, start = (value * _SECOND + chance.choice([0, 0, 1, -1]) for value in (length, start))
    return max(0, length), slide and max(0, slide * _SECOND + chance.choice([0, 0, 1, -1])), start


def _row(chance: random.Random, now: int, delay: int, edges: list[int]) -> dict[str, Any]:
    base = now + chance.randint(-200, 60) * _SECOND
    if chance.random() < 0.6:
        width = chance.choice(edges)
        base = now // width * width + chance.choice([0, 0, delay, -delay, width])
        base += chance.choice([0, 0, 0, 1_000, -1_000, 1, -1])
    time = None if chance.random() < 0.04 else base
    return {"at": time, "key": chance.choice(["a", "b", None]), "n": chance.randint(0, 2)}


def _count(rows: Any) -> int:
    return len(rows)


def _window(chance: random.Random, delay: int) -> tuple[Query, Callable[[Any], Any], list[int]]:
    length, slide = chance.choice([(60, 60), (60, 30), (50, 20), (90, 30), (60, 60)])
    start = chance.choice([0, 0, 7, -5, 10])
    keys = chance.choice([(), ("key",), ("key", "n")])
    mode = chance.choice(["append", "append", "update", "complete"])
    marked = mode == "append" or chance.random() < 0.8
    window = Window("at", length * _SECOND, slide * _SECOND, start * _SECOND)
    plan = Aggregate(keys, {"count": _count}, window)
    query = Query(((Watermark("at", delay),) if marked else ()) + (plan,), mode)

    def build(rows: Any) -> Any:
        from pyspark.sql import functions as F

        rows = rows.withWatermark("at", f"{delay} microseconds") if marked else rows
        bucket = F.window("at", f"{length} seconds", f"{slide} seconds", f"{start} seconds")
        counted = rows.groupBy(bucket, *keys).count()
        return counted.select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), *keys, "count")

    return query, build, [slide * _SECOND, length * _SECOND, 1 * _SECOND]


def _keys(chance: random.Random, delay: int) -> tuple[Query, Callable[[Any], Any], list[int]]:
    keys = chance.choice([("key",), ("at", "key"), ("at",)])
    mode = chance.choice(["append", "update", "complete"] if "at" in keys else ["update", "complete"])
    query = Query((Watermark("at", delay), Aggregate(keys, {"count": _count})), mode)

    def build(rows: Any) -> Any:
        return rows.withWatermark("at", f"{delay} microseconds").groupBy(*keys).count()

    return query, build, [60 * _SECOND, _SECOND]


def _duplicates(chance: random.Random, delay: int) -> tuple[Query, Callable[[Any], Any], list[int]]:
    keys, marked = chance.choice([("key",), ("key", "at")]), chance.random() < 0.7
    query = Query(((Watermark("at", delay),) if marked else ()) + (Deduplicate(keys),), chance.choice(["append", "update"]))

    def build(rows: Any) -> Any:
        rows = rows.withWatermark("at", f"{delay} microseconds") if marked else rows
        return rows.dropDuplicates(list(keys))

    return query, build, [60 * _SECOND, _SECOND]


def _duplicates_within(chance: random.Random, delay: int) -> tuple[Query, Callable[[Any], Any], list[int]]:
    keys = chance.choice([("key",), ("key", "n")])
    query = Query((Watermark("at", delay), Deduplicate(keys, within_watermark=True)), "append")

    def build(rows: Any) -> Any:
        return rows.withWatermark("at", f"{delay} microseconds").dropDuplicatesWithinWatermark(list(keys))

    return query, build, [60 * _SECOND, _SECOND]


def _session(chance: random.Random, delay: int) -> tuple[Query, Callable[[Any], Any], list[int]]:
    gap, mode = chance.choice([10, 30, 60]), chance.choice(["append", "append", "complete"])
    query = Query((Watermark("at", delay), Aggregate(("key",), {"count": _count}, Session("at", gap * _SECOND))), mode)

    def build(rows: Any) -> Any:
        from pyspark.sql import functions as F

        found = rows.withWatermark("at", f"{delay} microseconds").groupBy(F.session_window("at", f"{gap} seconds").alias("w"), "key")
        return found.count().select(F.col("w.start").alias("window_start"), F.col("w.end").alias("window_end"), "key", "count")

    return query, build, [gap * _SECOND, _SECOND]
