"""The oracle says what real Spark does, on random streams; and the comparison would notice if it did not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from autograder.engines.recorded import Records, code_hash, is_drawn
from autograder.machine.paths import short_hash
from autograder.oracle import dstreams, stateful, structured
from tests.conftest import SOAK
from tests.oracle import against_spark, cases, dstream_cases
from tests.oracle.cases import Case
from tests.with_records import RECORDS, commit

pytestmark = [pytest.mark.spark, pytest.mark.recorded, pytest.mark.soak]

#: Streams; any number by `make oracle`.
_CASES, _DSTREAM_CASES = 210, 24
#: What decides Spark's answers beside the replaying code: the streams and queries.
_STREAMS = (Path(cases.__file__), Path(dstream_cases.__file__))

Answers = Callable[[str, int, int, Callable[..., Any]], list[Any]]


@pytest.fixture(scope="module")
def recorded_answers(request: pytest.FixtureRequest) -> Iterator[Answers]:
    """Spark's answers by seed, recorded: all are replayed by `make prove` and `make soak`, one in forty by each commit."""
    code = short_hash([code_hash(), *(path.read_text() for path in _STREAMS)])
    records: Records[Any] = Records(RECORDS / "oracle.jsonl", TypeAdapter(Any), code)
    prove, salt = request.config.getoption("--prove"), commit()

    def answers(kind: str, count: int, workers: int, replay: Callable[..., Any]) -> list[Any]:
        keys = [f"{kind} {seed}" for seed in range(count)]
        again = prove or SOAK
        found = {seed: None if again or is_drawn(key, salt) else records.get(key) for seed, key in enumerate(keys)}
        missing = [seed for seed, answer in found.items() if answer is None]
        if missing:
            with against_spark.spark_workers(workers) as pool:
                found |= zip(missing, replay(pool, missing), strict=True)
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


@pytest.fixture(scope="module")
def dstream_answers(recorded_answers: Answers) -> list[tuple[dstream_cases.Case, list[Any]]]:
    """Spark's answers for DStreams."""
    found = recorded_answers("dstream", _DSTREAM_CASES, 1, against_spark.dstream_answers)
    return [(dstream_cases.make(seed), answer) for seed, answer in enumerate(found)]


def test_dstreams(dstream_answers: list[tuple[dstream_cases.Case, list[Any]]]) -> None:
    """Every operator's output is Spark's, at Spark's times, and every operator is in a case."""
    assert [text for case, answer in dstream_answers if (text := against_spark.dstream_difference(case, answer))] == []
    named = {name for case, _ in dstream_answers for name, _, _ in case.operators}
    assert named == {name for name, _, _ in (*dstream_cases.SLIDING, *dstream_cases.EVERY_BATCH)}


def test_the_dstream_comparison_bites(dstream_answers: list[tuple[dstream_cases.Case, list[Any]]], monkeypatch: pytest.MonkeyPatch) -> None:
    """With the inverse function used from four slides on in place of five, the comparison fails."""
    monkeypatch.setattr(dstreams, "_INVERSE_FROM", 4)

    assert any(against_spark.dstream_difference(case, answer) for case, answer in dstream_answers)


def test_the_comparison_sees_the_lag(answers: list[tuple[Case, against_spark.Answer]], monkeypatch: pytest.MonkeyPatch) -> None:
    """With late rows filtered by this batch's watermark in place of the last one's, the comparison fails."""

    def run(self: Any, step: int, rows: Any, data: bool) -> Any:
        self.previous = self.tracked
        return original(self, step, rows, data)

    original = structured._Execution.run
    monkeypatch.setattr(structured._Execution, "run", run)

    assert any(against_spark.difference(case, answer) for case, answer in answers)
