"""Recorded observations: the same judgement as a replay, never a skip, and none for other code."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.engines import recorded
from autograder.engines.base import Observed
from autograder.engines.recorded import Recorded, key_of, observations
from autograder.grading.answer_key import AnswerKey
from autograder.model import Batch, Failure, GraderFaultError, Observation, Request, StepOutput

SEEN = Observation((StepOutput((Batch(({"result": 2},), 5, 1, 0),)), StepOutput(())), (("result", "int"),), None, "printed\n", 0.3)


class Counting:
    """Who replays: always with one observation, and counts."""

    confined = False

    def __init__(self, observed: Observation | GraderFaultError = SEEN) -> None:
        self.observed, self.count = observed, 0

    def observe(self, requests: Sequence[Request]) -> Iterator[Observed]:
        """The one observation."""
        for request in requests:
            self.count += 1
            yield request, self.observed


@pytest.fixture
def request_(toy: AnswerKey) -> Request:
    """A replay of the toy's plain function."""
    check = next(check for check in toy.assignment.checks if check.id == "double_right")
    (fixture,) = toy.fixtures(check, {"least": 1})
    return Request("def double(number): ...", toy.function(check), fixture, {"least": 1}, 60)


def observed(recorded: Recorded, request: Request) -> Observation | GraderFaultError:
    ((_, found),) = recorded.observe([request])
    return found


@pytest.mark.parametrize("seen", [SEEN, Observation(failure=Failure("raised", "å", 3, "ValueError", 1), printed="\udcff")])
def test_a_record_is_what_was_observed(tmp_path: Path, request_: Request, seen: Observation) -> None:
    """All but the seconds, through the file; the second time nothing is replayed."""
    records, replays = observations(tmp_path / "toy.jsonl"), Counting(seen)
    first = observed(Recorded(replays, records), request_)
    records.write()
    again = observed(Recorded(replays, observations(tmp_path / "toy.jsonl")), request_)

    assert first == seen
    assert again == replace(seen, seconds=0.0)
    assert replays.count == 1


@pytest.mark.parametrize(
    "seen",
    [
        GraderFaultError("gone"),
        Observation(failure=Failure("out_of_memory")),
        Observation(failure=Failure("raised", f"{sys.prefix}/lib/kafka.py is gone")),
        replace(SEEN, printed=f"loaded from {Path.home()}/x.py\n"),
    ],
)
def test_what_another_machine_would_not_see_is_not_recorded(
    tmp_path: Path, request_: Request, seen: Observation | GraderFaultError
) -> None:
    """A fault, what a busy machine brings about, and what names a folder of this one: each is replayed again."""
    recorded = Recorded(Counting(seen), observations(tmp_path / "toy.jsonl"))

    assert observed(recorded, request_) == seen
    assert recorded.records.get(key_of(request_)) is None


def test_records_of_other_code_do_not_count(tmp_path: Path, request_: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of the untrusted side, or of a lock, makes what it replays stale: what has no record is replayed."""
    records = observations(tmp_path / "toy.jsonl")
    observed(Recorded(Counting(), records), request_)
    records.write()
    key = key_of(request_)
    monkeypatch.setattr(recorded, "code_hash", lambda brokers=False: "another")

    assert key_of(request_) != key
    assert observations(tmp_path / "toy.jsonl").keys() == set()


def test_what_differs_is_told(tmp_path: Path, request_: Request) -> None:
    """Who proves the records sees which replay came out otherwise."""
    records = observations(tmp_path / "toy.jsonl")
    observed(Recorded(Counting(), records), request_)
    proving = Recorded(Counting(replace(SEEN, printed="other")), records, always=lambda _: True)
    observed(proving, request_)

    assert proving.differing == [f"double on numbers: {key_of(request_)}"]


def test_a_part_that_changes_with_the_commit_is_replayed(tmp_path: Path, request_: Request) -> None:
    """About one in forty, another one for another commit."""
    records, replays = observations(tmp_path / "toy.jsonl"), Counting()
    observed(Recorded(replays, records), request_)
    for commit in range(400):
        observed(Recorded(replays, records, salt=str(commit)), request_)

    assert 2 < replays.count - 1 < 25


def test_the_key_names_all_that_decides(request_: Request) -> None:
    """Another text, function, fixture, parameter or limit is another key; names and titles of a fixture are not."""
    changed = [
        replace(request_, source="x"),
        replace(request_, function=replace(request_.function, ordered=True)),
        replace(request_, fixture=replace(request_.fixture, steps=request_.fixture.steps[:1])),
        replace(request_, limits=replace(request_.limits, cpu_time=7)),
        replace(request_, time_limit=7),
    ]

    assert len({key_of(request) for request in [request_, *changed]}) == len(changed) + 1
    assert key_of(replace(request_, fixture=replace(request_.fixture, name="other", says="other", hidden=True))) == key_of(request_)
