"""Processes that share a Spark and replay streams for the comparison, and that Spark in time put in another's place."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from autograder.machine import classcache, paths
from autograder.machine.java import find_java
from autograder.untrusted import session

#: Streams that one Spark replays. Of each something stays in the JVM until it ends: above all its state stores, which Spark unloads when
#: it maintains them (every hour) and which have a copy of Hadoop's configuration each, 2,500 map entries. It was 0.7 MB a stream.
STREAMS = 150

#: Replays cases of these numbers, all at once, in a pool's processes.
Replay = Callable[[ProcessPoolExecutor, Sequence[int]], list[Any]]
_joined: list[tuple[session.Joined, Path]] = []  # a worker process's session and scratch folder


@contextmanager
def spark_workers(count: int = 2) -> Iterator[ProcessPoolExecutor]:
    """Processes that share a Spark of their own. There can be only one where DStreams run."""
    scratch = Path(tempfile.mkdtemp(prefix="autograder-oracle-", dir=paths.scratch_root()))
    jvm = classcache.start_jvm(find_java(), scratch)
    try:
        with ProcessPoolExecutor(count, get_context("fork"), _join, (jvm.port, jvm.secret, scratch)) as pool:
            yield pool
    finally:
        jvm.stop()
        shutil.rmtree(scratch, ignore_errors=True)


def in_turns(replay: Replay, seeds: Sequence[int], count: int = 2) -> Iterator[list[Any]]:
    """The answers to the cases of these seeds, in order and part by part: each part by a Spark and processes of its own."""
    for start in range(0, len(seeds), STREAMS):
        with spark_workers(count) as pool:
            yield replay(pool, seeds[start : start + STREAMS])


def _join(port: int, secret: str, scratch: Path) -> None:
    _joined[:] = [(session.join(port, secret), scratch)]


def joined() -> tuple[session.Joined, Path]:
    """In a worker process: its session, and the scratch folder that it shares with the others."""
    return _joined[0]
