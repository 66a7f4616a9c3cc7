"""The oracle's rules, one each, on the examples that they were found with."""

from __future__ import annotations

from typing import Any

import pytest

from autograder import oracle
from autograder.oracle import Aggregate, Deduplicate, Query, Session, Top, Watermark, Window, duration, replay
from autograder.oracle.time import is_closed, milliseconds, windows

MINUTE = 60_000_000


def rows(*times: float, key: str = "a") -> list[dict[str, object]]:
    """Rows at these minutes after noon."""
    return [{"at": int(time * MINUTE), "key": key} for time in times]


COUNT = {"count": len}
LATE = Query((Watermark("at", 10 * MINUTE), Aggregate(("key",), COUNT, Window("at", 5 * MINUTE))), "append")


def emitted(query: Query, *steps: object, drive: str = "step") -> list[list[tuple[object, ...]]]:
    """Rows of every batch."""
    return [[tuple(row.values()) for row in batch.rows] for batch in replay(query, list(steps), drive)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "microseconds"), [("10 minutes", 600_000_000), ("1 hour 30 minutes", 5_400_000_000), ("1 week", 604_800_000_000)]
)
def test_duration(text: str, microseconds: int) -> None:
    """Durations are written as Spark reads them."""
    assert duration(text) == microseconds


@pytest.mark.parametrize("text", ["", "10", "ten minutes", "1 month", "10 minutes or so"])
def test_no_duration(text: str) -> None:
    """Anything else is refused with an example."""
    with pytest.raises(ValueError, match="write it like '10 minutes'"):
        duration(text)


def test_windows_are_half_open() -> None:
    """A row exactly at a window's end is in the next one."""
    assert windows(10 * MINUTE, 10 * MINUTE, 10 * MINUTE, 0) == [(10 * MINUTE, 20 * MINUTE)]


def test_windows_whose_slide_does_not_divide_them() -> None:
    """12 minutes every 5 gives two or three windows to a row."""
    assert {len(windows(n * MINUTE, 12 * MINUTE, 5 * MINUTE, 0)) for n in range(60)} == {2, 3}


def test_windows_before_the_epoch() -> None:
    """Buckets are floored, not cut towards zero."""
    assert windows(-MINUTE, 5 * MINUTE, 5 * MINUTE, 0) == [(-5 * MINUTE, 0)]


def test_null_event_time() -> None:
    """A null is in no window, and counts as the epoch for the watermark."""
    assert windows(None, MINUTE, MINUTE, 0) == []
    assert milliseconds(None) == 0


def test_a_window_is_closed_when_the_watermark_reaches_its_end() -> None:
    """The comparison is inclusive, in whole milliseconds."""
    assert is_closed(5_000, 5)
    assert not is_closed(5_001, 5)


def test_the_late_filter_lags_one_batch() -> None:
    """Stepped, a no-data batch runs and the late row is dropped; staged, the same rows give another answer."""
    steps = (rows(2, 14), rows(15), rows(4, 4.5), rows(25))

    stepped = replay(LATE, list(steps))
    staged = replay(LATE, list(steps), "staged")

    assert sum(batch.dropped for batch in stepped) == 1
    assert sum(batch.dropped for batch in staged) == 0


def test_append_emits_once_when_closed() -> None:
    """A window comes out in the no-data batch behind the row that closes it."""
    assert emitted(LATE, rows(1), rows(15)) == [[], [], [(0, 5 * MINUTE, "a", 1)]]


def test_update_emits_what_changed_and_complete_everything() -> None:
    """The same rows in the two other modes."""
    count = Aggregate(("key",), COUNT)

    assert emitted(Query((count,), "update"), rows(1), rows(2, key="b")) == [[("a", 1)], [("b", 1)]]
    assert emitted(Query((count,), "complete"), rows(1), rows(2, key="b")) == [[("a", 1)], [("a", 1), ("b", 1)]]


def test_touching_sessions_merge() -> None:
    """Rows exactly one gap apart are one session."""
    query = Query((Watermark("at", 0), Aggregate(("key",), COUNT, Session("at", 5 * MINUTE))), "complete")

    assert emitted(query, rows(0, 5))[0] == [(0, 10 * MINUTE, "a", 2)]


def test_equal_late_rows_are_dropped_as_one() -> None:
    """Of a session's late rows in a batch those of one key and time count once; others count each, also where they overlap."""
    query = Query((Watermark("at", 0), Aggregate(("key",), COUNT, Session("at", 5 * MINUTE))), "append")

    found = replay(query, [rows(100), rows(101), rows(1, 1, 1, 2), rows(1) + rows(1, 1, key="b")])

    assert [batch.dropped for batch in found if batch.data] == [0, 0, 2, 2]


@pytest.mark.parametrize(("slide", "start"), [(5, 5), (5, -5), (11, 0), (0, 0), (None, 10)])
def test_windows_that_spark_refuses(slide: int | None, start: int) -> None:
    """A slide of 0 or longer than the window, and a start that is not within one slide."""
    with pytest.raises(ValueError, match="slide by"):
        Window("at", 10 * MINUTE, None if slide is None else slide * MINUTE, start * MINUTE)


def test_windows_at_their_bounds() -> None:
    """A microsecond less, and Spark takes them."""
    assert Window("at", 10 * MINUTE, 10 * MINUTE, 10 * MINUTE - 1)
    assert Window("at", 10 * MINUTE, 5 * MINUTE, 1 - 5 * MINUTE)


def test_deduplication_within_the_watermark_forgets() -> None:
    """A key is forgotten a delay after its first row; a duplicate does not keep it longer."""
    query = Query((Watermark("at", 10 * MINUTE), Deduplicate(("key",), within_watermark=True)), "append")

    found = replay(query, [rows(100), rows(105), rows(121, key="b"), rows(122)])

    assert [len(batch.rows) for batch in found if batch.data] == [1, 0, 1, 1]


def test_a_crash_runs_the_last_batch_again() -> None:
    """The same batch id, with the state that it found the first time."""
    found = replay(Query((Aggregate(("key",), COUNT),), "update"), [rows(1), rows(2), oracle.CRASH])

    assert [(batch.batch_id, batch.rows[0]["count"]) for batch in found] == [(0, 1), (1, 2), (1, 2)]


def test_inverse_is_ignored_below_five_slides() -> None:
    """A wrong inverse shows from five slides on, and keys at 0 stay without a filter."""
    pairs = [[("a", 1)], [], [], [], [], [], []]

    def add(a: int, b: int) -> int:
        return a + b

    def subtract(a: int, b: int) -> int:
        return a - b

    assert oracle.reduce_by_key_and_window(pairs, add, 4, 1, subtract)[-1] == []
    assert oracle.reduce_by_key_and_window(pairs, add, 5, 1, subtract)[-1] == [("a", 0)]
    assert oracle.reduce_by_key_and_window(pairs, add, 5, 1, subtract, lambda pair: pair[1] > 0)[-1] == []


def test_no_inverse_after_a_restart() -> None:
    """The checkpoint does not hold it: every window is reduced afresh, so a key that left is gone."""
    pairs = [[("a", 1)], [], [], [], [], [], []]

    def kept(restarted: int | None) -> list[Any]:
        return oracle.reduce_by_key_and_window(pairs, lambda a, b: a + b, 5, 1, lambda a, b: a - b, restarted=restarted)

    assert kept(None)[5:] == [[("a", 0)], [("a", 0)]]
    assert kept(6)[5:] == [[("a", 0)], []]
    assert kept(5)[5:] == [[], []]
    assert oracle.count_by_window(pairs, 5, 1, restarted=6)[5:] == [[0], []]


def test_windows_that_are_no_multiple_of_the_slide() -> None:
    """Five batches every two: what leaves with an inverse is what the window before had more."""
    pairs = [[("a", 2**time)] for time in range(14)]

    found = oracle.reduce_by_key_and_window(pairs, lambda a, b: a + b, 11, 2, lambda a, b: a - b)

    assert found[11] == [("a", sum(2**time for time in range(1, 12)))]
    assert oracle.windowed(pairs, 5, 2)[7] == [("a", 2**time) for time in range(3, 8)]


def test_a_window_has_output_at_multiples_of_its_slide() -> None:
    """Partial windows come out, other times have none."""
    assert oracle.windowed([[1], [2], [3], [4]], 3, 2) == [None, [1, 2], None, [2, 3, 4]]


def test_allowed_modes() -> None:
    """Which modes a query may run in, and why not in others."""
    count = Aggregate(("key",), COUNT)

    assert oracle.allowed_modes(Query((count,), "append"))["append"] == "needs_watermark"
    assert oracle.allowed_modes(LATE) == {"append": "", "update": "", "complete": ""}
    assert oracle.allowed_modes(Query((count, Top(3, str)), "append")) == {
        "append": "needs_watermark",
        "update": "sorting",
        "complete": "",
    }
    assert oracle.reasons(Query((count, Top(3, str)), "append"))["append"] == ("needs_watermark", "sorting")


def test_one_stateful_operator() -> None:
    """What the oracle does not model it refuses."""
    with pytest.raises(ValueError, match="one stateful operator"):
        Query((Aggregate(("key",), COUNT), Deduplicate(("key",))), "append")
