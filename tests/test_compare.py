"""The judge: what counts as equal, what is a difference, and no pass without a comparison."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.judge import evidence
from autograder.judge.compare import compare, same_rows
from autograder.model import Batch, Function, Observation, StepOutput, Table

ROWS = st.lists(st.fixed_dictionaries({"a": st.integers(-3, 3), "b": st.sampled_from(["x", "y", None])}), max_size=6)


def function(engine: Any = "structured", ordered: bool = False) -> Function:
    """A function with two columns."""
    return Function("f", engine, (), (), (), None, {"a": "INT", "b": "STRING"}, ordered)


def steps(*rows: list[dict[str, Any]] | None, state: int | None = None) -> tuple[StepOutput, ...]:
    """One batch a step; None for no output."""
    return tuple(StepOutput(() if found is None else (Batch(tuple(found), state=state),)) for found in rows)


@given(ROWS, st.randoms())
def test_order_does_not_count(rows: list[dict[str, Any]], chance: Any) -> None:
    """Outputs are equal as multisets."""
    shuffled = rows[:]
    chance.shuffle(shuffled)

    assert compare(function(), "rows", steps(rows), Observation(steps(shuffled))) is None


@given(ROWS, ROWS)
def test_a_difference_is_exactly_what_is_missing_and_unexpected(want: list[dict[str, Any]], have: list[dict[str, Any]]) -> None:
    """Expected rows less missing ones are the rows that came, less unexpected ones."""
    found = compare(function(), "rows", steps(want), Observation(steps(have)))

    if found is None:
        assert same_rows(want, have, ordered=False)
    else:
        assert same_rows([*want, *found.unexpected], [*have, *found.missing], ordered=False)


def test_order_counts_when_asked() -> None:
    """An ordered function's rows are compared in order."""
    want, have = [{"a": 1}, {"a": 2}], [{"a": 2}, {"a": 1}]
    found = compare(function(ordered=True), "rows", steps(want), Observation(steps(have)))

    assert found is not None
    assert evidence.sentence(found) == "Step 1: the right rows are in another order."


def test_numbers_are_equal_across_types() -> None:
    """2 and 2.0 are one value, and floats count to nine digits."""
    want, have = [{"a": 2}, {"a": 1 / 3}], [{"a": 2.0}, {"a": 0.33333333333}]

    assert compare(function(), "rows", steps(want), Observation(steps(have))) is None


def test_no_output_is_not_an_empty_output() -> None:
    """For a DStream it counts at which times there is output at all."""
    found = compare(function("dstream"), "times", steps([], None), Observation(steps(None, None)))

    assert found is not None
    assert evidence.sentence(found) == "Step 1: it got no output where some was expected."


def test_state_may_not_exceed_the_oracles() -> None:
    """Right rows with more state than is needed are a difference where state is graded."""
    rows = [{"a": 1, "b": "x"}]
    found = compare(function(), "state", steps(rows, state=1), Observation(steps(rows, state=3)))

    assert found is not None
    assert found.text == "3 rows are kept in state, where 1 are enough"
    assert compare(function(), "rows", steps(rows, state=1), Observation(steps(rows, state=3))) is None


@pytest.mark.parametrize(("want", "have"), [((), ()), (([],), ())])
def test_no_vacuous_pass(want: Any, have: Any) -> None:
    """Comparing nothing, or not all steps, is our fault and never a pass."""
    with pytest.raises(ValueError, match=r"step"):
        compare(function(), "rows", steps(*want), Observation(steps(*have)))


def test_long_lists_are_cut_from_the_middle() -> None:
    """The cut says how much it left out, and the step with the arrow stays."""
    assert evidence.cut([str(n) for n in range(9)], 4) == ["0", "1", "… 5 more …", "7", "8"]
    shown = evidence.cut_around(40, 20)
    assert 20 in shown
    assert None in shown
    assert len(shown) <= 14


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("int", None),
        ("bigint", None),
        ("decimal(10,0)", None),
        ("string", "A column of the result has another type: a is STRING where INT is asked."),
        ("timestamp", "A column of the result has another type: a is TIMESTAMP where INT is asked."),
    ],
)
def test_a_column_has_the_kind_that_is_asked(kind: str, says: str | None) -> None:
    """Of numbers any will do; a text that looks like a number will not."""
    found = compare(function(), "rows", steps([]), Observation(steps([]), (("a", kind), ("b", "string"))))

    assert (found and evidence.sentence(found)) == says


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"a": "totals key", "b": "totals"}, None),
        ({"a": "sums key", "b": "sums"}, "The store has another table: it is called sums, not totals."),
        ({"a": "totals", "b": "totals"}, "The store has another table: its primary key is missing; a is asked."),
        ({"a": "totals key", "b": "totals key"}, "The store has another table: its primary key is a, b; a is asked."),
        ({}, None),  # there is no table yet
    ],
)
def test_a_table_has_the_name_and_the_key_that_are_asked(columns: dict[str, str], says: str | None) -> None:
    """Where a function keeps a table in its store."""
    keeping = replace(function(), table=Table("totals", ("a",)))

    found = compare(keeping, "rows", steps([]), Observation(steps([]), tuple(columns.items())))

    assert (found and evidence.sentence(found)) == says


def test_other_columns_are_told_with_their_types() -> None:
    """Name and type, wanted and yours; a struct by its kind, and of a type that is not known the name alone."""
    yours = (("a", "int"), ("window", "struct<start:timestamp,end:timestamp>"), ("c", "decimal(10,0)"), ("d", ""))
    found = compare(function(), "runs", steps([]), Observation(steps([]), yours))

    assert found is not None
    assert found.aspect == "columns"
    assert evidence.sentence(found) == (
        "The result has other columns: missing: b; not asked for: window, c, d "
        "(wanted: a INT, b STRING; yours: a INT, window STRUCT, c DECIMAL(10,0), d)."
    )
