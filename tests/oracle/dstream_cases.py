"""Random streams of pairs, and several DStream operators on each: what Spark gives, and what the oracle says."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark import cloudpickle

from autograder.oracle import dstreams

Pairs = list[tuple[str, int]]
Output = list[tuple[str, Any]]
#: Its name, the stream that Spark makes of (pairs, window, slide), and what the oracle says of (batches, window, slide, batches before
#: the first restart).
Operator = tuple[str, Callable[..., Any], Callable[..., Any]]
#: Seconds (batches) from one checkpoint of an RDD to the next, at least.
_CHECKPOINTED = 10
# Spark's Python workers cannot import the tests.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@dataclass(frozen=True)
class Case:
    """A stream, the window and slide (in batches) and the operators on it.

    After each of so many batches in ``restarts`` it is stopped and goes on from its checkpoint.
    """

    seed: int
    batches: tuple[Pairs, ...]
    window: int
    slide: int
    operators: tuple[Operator, ...]
    restarts: tuple[int, ...] = ()

    def build(self, pairs: Any, checkpoint: str) -> Any:
        """One stream of ``(operator's name, element)``: operators of one slide can be joined to one output."""
        pairs.context().checkpoint(checkpoint)
        streams = [_tagged(name, of_spark(pairs, self.window, self.slide)) for name, of_spark, _ in self.operators]
        return pairs.context().union(*streams)

    def oracle(self) -> list[list[Output]]:
        """What the oracle says of all operators: of each batch its outputs, none where the slide has none.

        A restart runs the last batch before it once more.
        """
        first = self._says(min(self.restarts, default=None))
        return [
            [] if time % self.slide else [first[time - 1], *([self._again(time)] if time in self.restarts else [])]
            for time in range(1, len(self.batches) + 1)
        ]

    def _says(self, restarted: int | None) -> list[Output]:
        found = [(name, says(self.batches, self.window, self.slide, restarted)) for name, _, says in self.operators]
        return [[(name, element) for name, batches in found for element in batches[time] or ()] for time in range(len(self.batches))]

    def _again(self, time: int) -> Output:
        """The last batch before a restart, run again: as it was where its RDD is in the checkpoint, else as after a restart."""
        kept = time % (self.slide * -(-_CHECKPOINTED // self.slide)) == 0
        return self._says(min(*self.restarts, len(self.batches) if kept else time - 1))[time - 1]


def make(seed: int) -> Case:
    """The case of a seed: windows of fewer and more than five slides, also no multiple of them; batches without rows, keys that leave."""
    chance = random.Random(seed)
    slide = chance.choice([1, 1, 2, 3])
    window = slide * chance.choice([1, 3, 4, 5, 5, 6]) + chance.choice([0, 0, 1, -1] if slide > 1 else [0])
    count = max(13, 8 * slide)
    batches = [[(chance.choice("abc"), chance.randint(0, 3)) for _ in range(chance.choice([0, 0, 1, 2, 4]))] for _ in range(count)]
    operators = chance.sample([*SLIDING, *(EVERY_BATCH if slide == 1 else [])], 3)
    return Case(seed, tuple(batches), window, slide, tuple(operators))


def make_restarted(seed: int) -> Case:
    """The case of a seed that is restarted twice; one of its operators has no true inverse, which shows where it is called."""
    chance, case = random.Random(f"restarts {seed}"), make(seed)
    others = [*SLIDING, *(RESTARTED if case.slide == 1 else [])]
    operators = [NO_TRUE_INVERSE, *chance.sample([operator for operator in others if operator is not NO_TRUE_INVERSE], 2)]
    restarts = sorted(chance.sample(range(1, len(case.batches)), 2))
    return replace(case, operators=tuple(operators), restarts=tuple(restarts))


def initial_restarted() -> Case:
    """One that Spark cannot restart: its state began with pairs that no stream has brought."""
    return Case(0, ((("a", 1),),) * 3, 1, 1, (EVERY_BATCH[-1],), (2,))  # type: ignore[arg-type]  # tuples will do


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
        lambda batches, window, slide, restarted: dstreams.reduce_by_key_and_window(
            batches, _plus, window, slide, function, keep, restarted
        ),
    )


NO_TRUE_INVERSE: Operator = ("reduceByKeyAndWindow with no true inverse", *_inverse(_twice_minus))
SLIDING: list[Operator] = [
    (
        "window",
        lambda pairs, window, slide: pairs.window(window, slide),
        lambda batches, window, slide, _: dstreams.windowed(batches, window, slide),
    ),
    (
        "reduceByKeyAndWindow",
        lambda pairs, window, slide: pairs.reduceByKeyAndWindow(_plus, None, window, slide),
        lambda batches, window, slide, _: dstreams.reduce_by_key_and_window(batches, _plus, window, slide),
    ),
    ("reduceByKeyAndWindow with inverse", *_inverse(_minus)),
    ("reduceByKeyAndWindow with inverse and filter", *_inverse(_minus, _some)),
    NO_TRUE_INVERSE,
    (
        "reduceByWindow",
        lambda pairs, window, slide: pairs.map(lambda pair: pair[1]).reduceByWindow(max, None, window, slide),
        lambda batches, window, slide, _: dstreams.reduce_by_window(_values(batches), max, window, slide),
    ),
    ("countByWindow", lambda pairs, window, slide: pairs.countByWindow(window, slide), dstreams.count_by_window),
]


def _updating(name: str, initial: Any = None) -> Operator:
    return (
        name,
        lambda pairs, _window, _slide: pairs.updateStateByKey(_last_seen, initialRDD=initial),
        lambda batches, *_: dstreams.update_state_by_key(batches, _last_seen, initial or ()),
    )


_REDUCED: Operator = (
    "reduceByKey",
    lambda pairs, _window, _slide: pairs.reduceByKey(_plus),
    lambda batches, *_: [dstreams.reduce_by_key(batch, _plus) for batch in batches],
)
#: These take no slide.
EVERY_BATCH: list[Operator] = [_REDUCED, _updating("updateStateByKey", [("c", [2, 0])])]
#: Those of them that can be restarted: what state began with, Spark does not find again.
RESTARTED: list[Operator] = [_REDUCED, _updating("updateStateByKey from nothing")]
