"""Load is not a verdict: a limit's seconds count as far as the machine had processors to give."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from autograder.machine import clock
from autograder.machine.clock import Clock


@pytest.mark.parametrize(("wanting", "processors", "share"), [(1, 2, 1.0), (2, 2, 1.0), (8, 2, 0.25), (0, 4, 1.0), (10_000, 2, 1 / 40)])
def test_a_second_is_shared_by_those_who_want_processors(
    monkeypatch: pytest.MonkeyPatch, wanting: int, processors: int, share: float
) -> None:
    monkeypatch.setattr(Path, "read_text", lambda _: f"0.20 0.18 0.12 {wanting}/412 11206\n")
    monkeypatch.setattr(clock, "_processors", lambda: processors)

    assert clock.share() == share


def test_it_goes_as_fast_as_the_wall_clock_where_nobody_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: Path) -> str:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", missing)

    assert clock.share() == 1


def test_seconds_are_weighed_by_the_load_while_they_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    shares, seconds = iter([1.0, 0.5, 0.25, 0.25]), itertools.count(0, 10)
    monkeypatch.setattr(clock, "share", lambda: next(shares))
    monkeypatch.setattr(clock.time, "monotonic", lambda: float(next(seconds)))
    found = Clock()

    assert [found.now(), found.now(), found.now()] == [7.5, 11.25, 13.75]
