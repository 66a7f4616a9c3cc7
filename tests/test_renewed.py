"""Spark is replaced in time: a grading of thousands of replays takes no more memory than one of hundreds."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.engines import renewed
from autograder.engines.base import Observed
from autograder.engines.renewed import Renewed, stores
from autograder.engines.runtime import Runtime
from autograder.model import Add, Drive, Fixture, Function, Observation, Request, Restart
from tests.conftest import SOAK
from tests.oracle import workers

#: Megabytes of memory that Spark's JVM may take. It takes 570 with its classes and 150 replays, and 60 more for every 300 from there on.
_MOST_MEMORY = 720
COUNTS = "from pyspark.sql import functions as F\n\n\ndef counts(views):\n    return views.groupBy('page').count()\n"
FIXTURE = Fixture("one", "one view", Drive("step"), {"views": (("page", "STRING"),)}, (Add({"views": ({"page": "a"},)}),), False)
RIGHT = ({"page": "a", "count": 1},)
REQUEST = Request(COUNTS, Function("counts", "structured", ("views",), mode="update"), FIXTURE, {}, 60)


class Told:
    """Writes down which requests it is asked in one go, and where its process is ended."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    def observe(self, requests: Sequence[Request], exclusive: Callable[[Request], str]) -> Iterator[Observed]:
        """Nothing is observed."""
        self.events.append(len(requests))
        return ((request, Observation()) for request in requests)

    def close(self) -> None:
        """The process would end."""
        self.events.append("ended")


def requests(count: int, partitions: int = 1, restarts: int = 0) -> list[Request]:
    """So many, each with a fixture of its own."""
    steps = (*FIXTURE.steps, *(Restart() for _ in range(restarts)))
    return [replace(REQUEST, fixture=replace(FIXTURE, partitions=partitions, steps=steps)) for _ in range(count)]


@pytest.fixture
def ten(monkeypatch: pytest.MonkeyPatch) -> Told:
    """A process that may keep ten state stores."""
    monkeypatch.setattr(renewed, "MOST_STORES", 10)
    return Told()


def observed(renewing: Renewed, asked: Sequence[Request]) -> list[int]:
    """The requests that got an answer."""
    return [id(request) for request, _ in renewing.observe(asked, lambda _: "")]


def test_the_process_is_ended_before_it_keeps_too_much(ten: Told) -> None:
    """Within one call and from one to the next; every request is answered, in order."""
    renewing, asked = Renewed(ten), requests(25)

    assert observed(renewing, asked) == [id(request) for request in asked]
    assert ten.events == [10, "ended", 10, "ended", 5]
    observed(renewing, requests(5))
    assert ten.events[5:] == [5]
    observed(renewing, requests(1))
    assert ten.events[6:] == ["ended", 1]


def test_a_replay_counts_by_its_state_stores(ten: Told) -> None:
    """One for each partition, and again after each restart. One that has too many for any process runs all the same."""
    assert [stores(request) for request in (*requests(1), *requests(1, 3), *requests(1, 3, 2))] == [1, 3, 9]
    observed(Renewed(ten), [*requests(2, 3), *requests(1, 5), *requests(1, 8, 4)])
    assert ten.events == [2, "ended", 1, "ended", 1]


def test_closing_begins_the_count_anew(ten: Told) -> None:
    """What is ended keeps nothing."""
    renewing = Renewed(ten)

    observed(renewing, requests(8))
    renewing.close()
    observed(renewing, requests(8))

    assert ten.events == [8, "ended", 8]


def test_the_comparison_of_the_oracle_has_a_spark_for_each_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """No Spark replays more streams than it may, and all are answered in order."""
    parts: list[Any] = []

    @contextmanager
    def spark(count: int) -> Iterator[Any]:
        parts.append(count)
        yield parts

    def replay(pool: Any, seeds: Sequence[int]) -> list[int]:
        pool.append(len(seeds))
        return list(seeds)

    monkeypatch.setattr(workers, "spark_workers", spark)
    monkeypatch.setattr(workers, "STREAMS", 100)

    assert [seed for part in workers.in_turns(replay, range(7, 257), 2) for seed in part] == list(range(7, 257))
    assert parts == [2, 100, 2, 100, 2, 50]


def sparks(parent: int) -> dict[int, int]:
    """Of the JVMs below a process the megabytes that they take, by pid."""
    found: dict[int, int] = {}
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):  # it has ended
            text, pid = status.read_text(), int(status.parent.name)
            if f"\nPPid:\t{parent}\n" in text:
                found |= sparks(pid)
                if b"PythonGatewayServer" in (status.parent / "cmdline").read_bytes():
                    found[pid] = int(re.findall(r"VmRSS:\s+(\d+)", text)[0]) // 1024
    return found


@pytest.mark.spark
@pytest.mark.soak
def test_two_thousand_replays_in_one_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """All are right, and no Spark takes more memory than for some hundreds. It is 24 replays and three Sparks, but in `make soak`."""
    count, part = (2_000, 100) if SOAK else (24, 8)
    monkeypatch.setattr(renewed, "MOST_STORES", renewed.MOST_STORES if SOAK else 8)
    others, taken = set(sparks(os.getpid())), dict[int, int]()
    with Runtime() as runtime:
        for _ in range(0, count, part):
            found = [observation for _, observation in runtime.observe(requests(part))]
            assert [[step.rows for step in each.steps] for each in found if isinstance(each, Observation)] == [[RIGHT]] * part
            taken |= {pid: megabytes for pid, megabytes in sparks(os.getpid()).items() if pid not in others}

    assert len(taken) == (4 if SOAK else 3)
    assert max(taken.values()) < _MOST_MEMORY
