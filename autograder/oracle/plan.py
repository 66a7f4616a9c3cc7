"""A query as data: its operators in the order in which rows meet them, and its output mode."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Value: TypeAlias = bool | int | float | str | None
Row: TypeAlias = dict[str, Any]
Mode: TypeAlias = Literal["append", "update", "complete"]


@dataclass(frozen=True)
class Each:
    """A stateless step: select, filter, explode. ``function`` gives the rows that one row becomes."""

    function: Callable[[Row], Iterable[Row]]


@dataclass(frozen=True)
class Watermark:
    """``withWatermark(column, delay)``; the delay in microseconds, of which whole milliseconds count."""

    column: str
    delay: int


@dataclass(frozen=True)
class Window:
    """``window(column, duration, slide, start)``, in microseconds; tumbling without a slide.

    Raises ValueError for what Spark refuses: a slide that is 0 or longer than the window, a start that is not within one slide.
    """

    column: str
    duration: int
    slide: int | None = None
    start: int = 0

    def __post_init__(self) -> None:
        slide = self.duration if self.slide is None else self.slide
        if not 0 < slide <= self.duration:
            raise ValueError(f"a window of {self.duration} us cannot slide by {slide} us")
        if abs(self.start) >= slide:
            raise ValueError(f"windows that slide by {slide} us cannot begin at {self.start} us")


@dataclass(frozen=True)
class Session:
    """``session_window(column, gap)``, in microseconds."""

    column: str
    gap: int


@dataclass(frozen=True)
class Aggregate:
    """``groupBy(window, *keys).agg(…)``. A value is a function of the rows of its group, in order of arrival.

    The result has ``window_start`` and ``window_end`` when there is a window, then the keys, then the values.
    """

    keys: tuple[str, ...]
    values: Mapping[str, Callable[[Sequence[Row]], Any]]
    window: Window | Session | None = None


@dataclass(frozen=True)
class Deduplicate:
    """``dropDuplicates(keys)``, or ``dropDuplicatesWithinWatermark(keys)``."""

    keys: tuple[str, ...]
    within_watermark: bool = False


@dataclass(frozen=True)
class Top:
    """``orderBy(order).limit(n)`` behind an aggregation in complete mode."""

    n: int | None
    order: Callable[[Row], Any]


Operator: TypeAlias = Each | Watermark | Aggregate | Deduplicate | Top


@dataclass(frozen=True)
class Query:
    """Operators and output mode. At most one operator keeps state."""

    operators: tuple[Operator, ...]
    mode: Mode

    def __post_init__(self) -> None:
        stateful = [operator for operator in self.operators if isinstance(operator, (Aggregate, Deduplicate))]
        if len(stateful) > 1:
            raise ValueError("the oracle models one stateful operator in a query")
        if len([operator for operator in self.operators if isinstance(operator, Watermark)]) > 1:
            raise ValueError("redefining the watermark is disallowed")
