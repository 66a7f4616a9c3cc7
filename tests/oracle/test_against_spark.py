"""The oracle says what real Spark does, on random streams; and the comparison would notice if it did not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from autograder.engines.recorded import Records, code_hash, is_drawn
from autograder.machine.paths import short_hash
from autograder.oracle import dstreams, stateful, structured
from tests.conftest import SOAK
from tests.oracle import against_spark, cases, dstream_cases, dstreams_by_spark
from tests.oracle.cases import Case
from tests.oracle.workers import Replay, in_turns
from tests.with_records import RECORDS, commit

pytestmark = [pytest.mark.spark, pytest.mark.recorded, pytest.mark.soak]

#: Streams; any number by `make oracle`.
_CASES, _WINDOWS, _DSTREAM_CASES, _RESTARTED_CASES = 210, 60, 18, 8
#: What decides Spark's answers beside the replaying code: the streams and queries, and how they are restarted.
_STREAMS = (Path(cases.__file__), Path(dstream_cases.__file__), Path(dstreams_by_spark.__file__))

Answers = Callable[[str, int, int, Replay], list[Any]]


@pytest.fixture(scope="module")
def recorded_answers(request: pytest.FixtureRequest) -> Iterator[Answers]:
    """Spark's answers by seed, recorded: all are replayed by `make prove` and `make soak`, one in forty by each commit."""
    code = short_hash([code_hash(), *(path.read_text() for path in _STREAMS)])
    records: Records[Any] = Records(RECORDS / "oracle.jsonl", TypeAdapter(Any), code)
    prove, salt = request.config.getoption("--prove"), commit()

    def answers(kind: str, count: int, workers: int, replay: Replay) -> list[Any]:
        keys = [f"{kind} {seed}" for seed in range(count)]
        again = prove or SOAK
        found = {seed: None if again or is_drawn(key, salt) else records.get(key) for seed, key in enumerate(keys)}
        missing = [seed for seed, answer in found.items() if answer is None]
        found |= zip(missing, chain.from_iterable(in_turns(replay, missing, workers)), strict=True)
        differing = [keys[seed] for seed in missing if records.put(keys[seed], found[seed])]
        print(f"{kind}: {len(missing)} of {count} replayed, these differ from their records: {differing}")
        return list(found.values())

    yield answers
    if prove or request.config.getoption("--record"):
        records.write()


@pytest.fixture(scope="module")
def answers(recorded_answers: Answers) -> list[tuple[Case, against_spark.Answer]]:
    """Spark's answers, shared by the tests below."""
    found = recorded_answers("structured", _CASES, 2, against_spark.answers)
    return [(cases.make(seed), answer) for seed, answer in enumerate(found)]


def test_structured(answers: list[tuple[Case, against_spark.Answer]]) -> None:
    """Rows per batch, watermark, dropped count and rows in state are Spark's, on every stream."""
    assert [text for case, answer in answers if (text := against_spark.difference(case, answer))] == []


def test_the_cases_reach_the_rules(answers: list[tuple[Case, against_spark.Answer]]) -> None:
    """The streams are not trivial: rows come out, late ones are dropped, batches without data run."""
    batches = [batch for _, answer in answers for step in answer for batch in step]

    assert sum(bool(batch["rows"]) for batch in batches) > _CASES
    assert sum(batch["dropped"] > 0 for batch in batches) > _CASES / 10
    assert sum(len(step) > 1 for _, answer in answers for step in answer) > _CASES / 3


def test_the_comparison_bites(answers: list[tuple[Case, against_spark.Answer]], monkeypatch: pytest.MonkeyPatch) -> None:
    """With `<` in place of `<=` where a watermark closes a window, the comparison fails."""
    monkeypatch.setattr(stateful, "is_closed", lambda end, watermark: end < watermark * 1000)

    assert sum(bool(against_spark.difference(case, answer)) for case, answer in answers) >= _CASES // 42


def test_windows(recorded_answers: Answers) -> None:
    """The oracle refuses the windows that Spark refuses, at their bounds to the microsecond, and takes the others."""
    found = recorded_answers("window", _WINDOWS, 1, against_spark.windows_taken)

    assert [text for seed, answer in enumerate(found) if (text := against_spark.window_difference(seed, answer))] == []
    assert _WINDOWS / 4 < sum(found) < _WINDOWS * 3 / 4


@pytest.fixture(scope="module")
def dstream_answers(recorded_answers: Answers) -> list[tuple[dstream_cases.Case, dstreams_by_spark.Answer]]:
    """Spark's answers for DStreams."""
    found = recorded_answers("dstream", _DSTREAM_CASES, 1, dstreams_by_spark.answers)
    return [(dstream_cases.make(seed), answer) for seed, answer in enumerate(found)]


@pytest.fixture(scope="module")
def restarted_answers(recorded_answers: Answers) -> list[tuple[dstream_cases.Case, dstreams_by_spark.Answer]]:
    """Spark's answers for DStreams that are restarted from their checkpoints."""
    found = recorded_answers("restarted", _RESTARTED_CASES, 1, dstreams_by_spark.restarted_answers)
    return [(dstream_cases.make_restarted(seed), answer) for seed, answer in enumerate(found)]


def differences(answers: list[tuple[dstream_cases.Case, dstreams_by_spark.Answer]]) -> list[str]:
    """How the oracle differs."""
    return [text for case, answer in answers if (text := dstreams_by_spark.difference(case, answer))]


def test_dstreams(dstream_answers: list[tuple[dstream_cases.Case, dstreams_by_spark.Answer]]) -> None:
    """Every operator's output is Spark's, at Spark's times, and every operator is in a case; some windows are no multiple of the slide."""
    assert differences(dstream_answers) == []
    named = {name for case, _ in dstream_answers for name, _, _ in case.operators}
    assert named == {name for name, _, _ in (*dstream_cases.SLIDING, *dstream_cases.EVERY_BATCH)}
    assert sum(case.window % case.slide > 0 for case, _ in dstream_answers) >= _DSTREAM_CASES / 6


def test_restarted_dstreams(restarted_answers: list[tuple[dstream_cases.Case, dstreams_by_spark.Answer]]) -> None:
    """A restart loses nothing, runs the last batch again, and calls no inverse any more."""
    assert differences(restarted_answers) == []
    assert any(len(outputs) > 1 for _, answer in restarted_answers for outputs in answer)


def test_the_comparison_sees_that_the_inverse_is_gone(
    restarted_answers: list[tuple[dstream_cases.Case, dstreams_by_spark.Answer]],
) -> None:
    """Were it called after a restart as before it, the comparison would fail."""
    before = [(replace(case, restarts=()), [outputs[:1] for outputs in answer]) for case, answer in restarted_answers]

    assert differences(before)


def test_what_state_began_with_cannot_be_restarted(recorded_answers: Answers) -> None:
    """Spark says that an RDD which no stream has made is not found again."""
    (said,) = recorded_answers("initial", 1, 1, dstreams_by_spark.initial_restarted)

    assert "SPARK-13758" in said


def test_the_dstream_comparison_bites(
    dstream_answers: list[tuple[dstream_cases.Case, dstreams_by_spark.Answer]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the inverse function used from four slides on in place of five, the comparison fails."""
    monkeypatch.setattr(dstreams, "_INVERSE_FROM", 4)

    assert differences(dstream_answers)


def test_the_comparison_sees_equal_late_rows(answers: list[tuple[Case, against_spark.Answer]], monkeypatch: pytest.MonkeyPatch) -> None:
    """With every late row of a session counted in place of every late group, the comparison fails."""

    def run(self: Any, rows: Any, late: int, evict: int) -> Any:
        window, mark = self.operator.window, self.mark
        dropped = [row for row in rows if mark and row["at"] is not None and stateful.is_closed(row["at"] + window.gap, late)]
        return original(self, rows, late, evict)[0], len(dropped)

    original = stateful.SessionAggregation.run
    monkeypatch.setattr(stateful.SessionAggregation, "run", run)

    assert any(against_spark.difference(case, answer) for case, answer in answers)


def test_the_comparison_sees_the_lag(answers: list[tuple[Case, against_spark.Answer]], monkeypatch: pytest.MonkeyPatch) -> None:
    """With late rows filtered by this batch's watermark in place of the last one's, the comparison fails."""

    def run(self: Any, step: int, rows: Any, data: bool) -> Any:
        self.previous = self.tracked
        return original(self, step, rows, data)

    original = structured._Execution.run
    monkeypatch.setattr(structured._Execution, "run", run)

    assert any(against_spark.difference(case, answer) for case, answer in answers)
