"""The oracle says what real Spark does, on random streams; and the comparison would notice if it did not."""

from __future__ import annotations

from typing import Any

import pytest

from autograder.oracle import dstreams, stateful, structured
from tests.conftest import GRADINGS
from tests.oracle import against_spark, dstream_cases
from tests.oracle.cases import Case

pytestmark = [pytest.mark.spark, pytest.mark.soak]

#: Streams: three times as many in `make soak`, any number by `make oracle`.
_CASES = 70 if GRADINGS <= 3 else 210  # what `make test` has
_DSTREAM_CASES = 12


@pytest.fixture(scope="module")
def answers() -> list[tuple[Case, against_spark.Answer]]:
    """Spark's answers, shared by the tests below."""
    found: list[tuple[Case, against_spark.Answer]] = []
    with against_spark.spark_workers() as pool:
        for start in range(0, _CASES, 70):
            found += against_spark.answers(pool, range(start, start + 70))
            print(f"{len(found)} of {_CASES} streams replayed")
    return found


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
def dstream_answers() -> list[tuple[dstream_cases.Case, list[Any]]]:
    """Spark's answers for DStreams."""
    with against_spark.spark_workers(1) as pool:
        return against_spark.dstream_answers(pool, range(_DSTREAM_CASES))


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
