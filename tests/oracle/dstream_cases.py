"""Random streams of pairs, and several DStream operators on each: what Spark gives, and what the oracle says."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark import cloudpickle

from autograder.oracle import dstreams

Pairs = list[tuple[str, int]]
#: Its name, the stream that Spark makes of (pairs, window, slide), and what the oracle says of the batches.
Operator = tuple[str, Callable[..., Any], Callable[..., Any]]
# Spark's Python workers cannot import the tests.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@dataclass(frozen=True)
class Case:
    """A stream, the window and slide (in batches) and the operators on it."""

    seed: int
    batches: tuple[Pairs, ...]
    window: int
    slide: int
    operators: tuple[Operator, ...]

    def build(self, pairs: Any, checkpoint: str) -> Any:
        """One stream of ``(operator's name, element)``: operators of one slide can be joined to one output."""
        pairs.context().checkpoint(checkpoint)
        streams = [_tagged(name, of_spark(pairs, self.window, self.slide)) for name, of_spark, _ in self.operators]
        return pairs.context().union(*streams)

    def oracle(self) -> list[list[tuple[str, Any]] | None]:
        """What the oracle says of all operators, batch by batch; None where the slide has no output."""
        found = [(name, says(self.batches, self.window, self.slide)) for name, _, says in self.operators]
        return [
            None if (time + 1) % self.slide else [(name, element) for name, batches in found for element in batches[time]]
            for time in range(len(self.batches))
        ]


def make(seed: int) -> Case:
    """The case of a seed: short windows and ones of five slides and more, batches without rows, keys that leave."""
    chance = random.Random(seed)
    slide = chance.choice([1, 1, 2])
    batches = [[(chance.choice("abc"), chance.randint(0, 3)) for _ in range(chance.choice([0, 0, 1, 2, 4]))] for _ in range(13)]
    operators = chance.sample([*SLIDING, *(EVERY_BATCH if slide == 1 else [])], 3)
    return Case(seed, tuple(batches), slide * chance.choice([1, 3, 4, 5, 5, 6]), slide, tuple(operators))


def _tagged(name: str, stream: Any) -> Any:
    return stream.map(lambda element: (name, element))


def _plus(a: int, b: int) -> int:
    return a + b


def _minus(a: int, b: int) -> int:
    return a - b


def _twice_minus(a: int, b: int) -> int:
    """No inverse at all: shows when it is called, and with what."""
    return a - 2 * b


def _some(pair: tuple[str, int]) -> bool:
    return pair[1] > 0


def _last_seen(new: list[int], old: list[int] | None) -> list[int] | None:
    """Sum and batches of silence; forgotten after three of them, or when the sum is 5."""
    total, silent = old or [0, 0]
    state = [total + sum(new), 0 if new else silent + 1]
    return None if state[1] > 2 or state[0] == 5 else state


def _values(batches: Sequence[Pairs]) -> list[list[int]]:
    return dstreams.per_batch(batches, lambda pair: [pair[1]])


def _inverse(function: Any, keep: Any = None) -> tuple[Callable[..., Any], Callable[..., Any]]:
    return (
        lambda pairs, window, slide: pairs.reduceByKeyAndWindow(_plus, function, window, slide, filterFunc=keep),
        lambda batches, window, slide: dstreams.reduce_by_key_and_window(batches, _plus, window, slide, function, keep),
    )


SLIDING: list[Operator] = [
    ("window", lambda pairs, window, slide: pairs.window(window, slide), dstreams.windowed),
    (
        "reduceByKeyAndWindow",
        lambda pairs, window, slide: pairs.reduceByKeyAndWindow(_plus, None, window, slide),
        lambda batches, window, slide: dstreams.reduce_by_key_and_window(batches, _plus, window, slide),
    ),
    ("reduceByKeyAndWindow with inverse", *_inverse(_minus)),
    ("reduceByKeyAndWindow with inverse and filter", *_inverse(_minus, _some)),
    ("reduceByKeyAndWindow with no true inverse", *_inverse(_twice_minus)),
    (
        "reduceByWindow",
        lambda pairs, window, slide: pairs.map(lambda pair: pair[1]).reduceByWindow(max, None, window, slide),
        lambda batches, window, slide: dstreams.reduce_by_window(_values(batches), max, window, slide),
    ),
    ("countByWindow", lambda pairs, window, slide: pairs.countByWindow(window, slide), dstreams.count_by_window),
]
#: These take no slide.
EVERY_BATCH: list[Operator] = [
    (
        "reduceByKey",
        lambda pairs, _window, _slide: pairs.reduceByKey(_plus),
        lambda batches, _window, _slide: [dstreams.reduce_by_key(batch, _plus) for batch in batches],
    ),
    (
        "updateStateByKey",
        lambda pairs, _window, _slide: pairs.updateStateByKey(_last_seen, initialRDD=[("c", [2, 0])]),
        lambda batches, _window, _slide: dstreams.update_state_by_key(batches, _last_seen, [("c", [2, 0])]),
    ),
]
