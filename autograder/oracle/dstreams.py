"""What DStream operators emit, batch by batch. Windows and slides count batches; None is a batch without output.

Source: PySpark's pyspark/streaming/dstream.py and PythonReducedWindowedDStream, under a manual clock.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import reduce
from typing import Any, TypeAlias

from autograder.oracle.operations import operator

Pair: TypeAlias = tuple[Hashable, Any]
Reduce: TypeAlias = Callable[[Any, Any], Any]
#: PySpark ignores an inverse function for windows shorter than this many slides.
_INVERSE_FROM = 5


def per_batch(batches: Sequence[Sequence[Any]], function: Callable[[Any], Iterable[Any]]) -> list[list[Any]]:
    """A stateless step: the elements that each element becomes."""
    return [[new for element in batch for new in function(element)] for batch in batches]


@operator
def reduce_by_key(pairs: Iterable[Pair], function: Reduce) -> list[Pair]:
    """One pair a key, its values reduced in order of arrival."""
    found: dict[Hashable, Any] = {}
    for key, value in pairs:
        found[key] = function(found[key], value) if key in found else value
    return list(found.items())


@operator
def windowed(batches: Sequence[Sequence[Any]], window: int, slide: int) -> list[list[Any] | None]:
    """``window(window, slide)``: output only at multiples of the slide, partial windows too."""
    return [
        [element for batch in batches[max(0, time - window) : time] for element in batch] if time % slide == 0 else None
        for time in range(1, len(batches) + 1)
    ]


@operator
def reduce_by_key_and_window(  # noqa: PLR0913, PLR0917  # the arguments of PySpark's operator
    batches: Sequence[Sequence[Pair]],
    function: Reduce,
    window: int,
    slide: int,
    inverse: Reduce | None = None,
    keep: Callable[[Pair], bool] | None = None,
    restarted: int | None = None,
) -> list[list[Pair] | None]:
    """``reduceByKeyAndWindow``. An inverse counts from five slides on; then keys that left stay unless ``keep`` drops them.

    Behind a restart from a checkpoint, before which there were ``restarted`` batches, the inverse is not called any more: the checkpoint
    does not hold it (``@transient`` in PythonReducedWindowedDStream), and every window is reduced afresh.
    """
    if inverse is None:
        found = windowed(batches, window, slide)
        return [None if pairs is None else reduce_by_key(pairs, function) for pairs in found]
    out: list[list[Pair] | None] = []
    previous: list[Pair] | None = None
    for time in range(1, len(batches) + 1):
        if time % slide:
            out.append(None)
            continue
        known = previous if restarted is None or time <= restarted else None
        previous = _slid(batches, function, inverse, keep, window, slide, time, known)
        out.append(previous)
    return out


def _slid(  # noqa: PLR0913, PLR0917  # the operator's own arguments, and where it stands
    batches: Sequence[Sequence[Pair]],
    function: Reduce,
    inverse: Reduce,
    keep: Callable[[Pair], bool] | None,
    window: int,
    slide: int,
    time: int,
    previous: list[Pair] | None,
) -> list[Pair]:
    if previous is None or window < _INVERSE_FROM * slide:
        pairs = reduce_by_key(_between(batches, time - window, time), function)
    else:
        left = reduce_by_key(_between(batches, time - slide - window, time - window), function)
        entered = reduce_by_key(_between(batches, time - slide, time), function)
        rest = dict(previous)
        for key, value in left:
            if key in rest:
                rest[key] = inverse(rest[key], value)
        for key, value in entered:
            rest[key] = function(rest[key], value) if key in rest else value
        pairs = list(rest.items())
    return [pair for pair in pairs if keep is None or keep(pair)]


def _between(batches: Sequence[Sequence[Any]], after: int, until: int) -> list[Any]:
    return [element for batch in batches[max(0, after) : max(0, until)] for element in batch]


@operator
def reduce_by_window(batches: Sequence[Sequence[Any]], function: Reduce, window: int, slide: int) -> list[list[Any] | None]:
    """``reduceByWindow`` without an inverse: one element, or none for an empty window."""
    found = windowed(batches, window, slide)
    return [None if elements is None else [reduce(function, elements)] if elements else [] for elements in found]


@operator
def count_by_window(batches: Sequence[Sequence[Any]], window: int, slide: int, restarted: int | None = None) -> list[list[int] | None]:
    """``countByWindow``: an empty window gives no row below five slides, and 0 from there on once it had rows.

    ``restarted`` is that of ``reduce_by_key_and_window``: behind it an empty window gives no row.
    """
    ones = [[(1, 1)] * len(batch) for batch in batches]
    pairs = reduce_by_key_and_window(ones, lambda a, b: a + b, window, slide, lambda a, b: a - b, restarted=restarted)
    return [None if found is None else [count for _, count in found] for found in pairs]


@operator
def update_state_by_key(
    batches: Sequence[Sequence[Pair]], update: Callable[[list[Any], Any], Any], initial: Iterable[Pair] = ()
) -> list[list[Pair]]:
    """``updateStateByKey``: every key in state or input, every batch; None removes the key.

    A restart from a checkpoint changes nothing; with ``initial`` pairs Spark cannot restart (SPARK-13758).
    """
    state = dict(initial)
    out = []
    for batch in batches:
        values: dict[Hashable, list[Any]] = {key: [] for key in state}
        for key, value in batch:
            values.setdefault(key, []).append(value)
        updated = {key: update(new, state.get(key)) for key, new in values.items()}
        state = {key: value for key, value in updated.items() if value is not None}
        out.append(list(state.items()))
    return out
