"""Wrong queries made from the right one by rule: each differs from it in one thing, as a student's might.

A mutation is made from one query and changes any of the same shape, whatever the values of its parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from autograder.oracle.plan import Aggregate, Deduplicate, Each, Mode, Operator, Query, Row, Session, Top, Watermark, Window
from autograder.oracle.time import in_words

Change: TypeAlias = Callable[[Query], Query]
#: A length of a query, in microseconds.
Measure: TypeAlias = Callable[[Query], int]
_MS, _SECOND, _MINUTE, _HOUR = 1_000, 1_000_000, 60_000_000, 3_600_000_000
#: Windows that hold one event, at most: a query that asks for more ends nowhere.
_MOST_WINDOWS = 1_000
_MODES: tuple[Mode, ...] = ("append", "update", "complete")


@dataclass(frozen=True)
class Mutation:
    """One thing that is wrong, in words: what it is about, and how it is wrong. ``measure`` reads the length that it is about."""

    id: str
    about: str
    says: str
    change: Change
    measure: Measure | None = None

    def told(self, query: Query) -> str:
        """What is wrong, with the length that it makes of a right query's, where it is about one."""
        if self.measure is None:
            return self.says
        return f"{_sentence(self.about)} is {in_words(self.measure(self.change(query)))} instead of {in_words(self.measure(query))}."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def mutations(query: Query, columns: Mapping[str, str]) -> Iterator[Mutation]:
    """All mutations of a query on a source with these columns, as (name, Spark type)."""
    times = [name for name, kind in columns.items() if kind == "TIMESTAMP"]
    for index, operator in enumerate(query.operators):
        match operator:
            case Watermark():
                yield from _of_watermark(index, operator, times)
            case Aggregate():
                yield from _of_aggregate(index, operator, times, columns)
            case Deduplicate():
                yield from _of_deduplication(index, operator, columns)
            case Top():
                yield from _of_top(index)
    yield from _of_event_time(query, times)
    for mode in _MODES:
        if mode != query.mode:
            yield Mutation(f"mode_{mode}", "the output mode", f"The output mode is {mode}.", _with(mode=mode))


def _of_event_time(query: Query, times: Sequence[str]) -> Iterator[Mutation]:
    """Another column is taken for the event time, by the watermark and by the window alike."""
    for name in times:
        changed = [_timed_by(operator, name) for operator in query.operators]
        if sum(new != old for new, old in zip(changed, query.operators, strict=True)) > 1:
            yield Mutation(f"event_time_is_{name}", "the event time", f"The event time is taken from {name}.", _on_time(name))


def _on_time(name: str) -> Change:
    return lambda query: replace(query, operators=tuple(_timed_by(operator, name) for operator in query.operators))


def _timed_by(operator: Operator, name: str) -> Operator:
    match operator:
        case Watermark():
            return replace(operator, column=name)
        case Aggregate(window=Window() | Session() as window):
            return replace(operator, window=replace(window, column=name))
    return operator


def _with(**values: Any) -> Callable[[Any], Any]:
    """A query, an operator or a window with other values."""
    return lambda found: replace(found, **values)


def _at(index: int, change: Callable[[Any], Operator | None]) -> Change:
    """A change of one operator; None takes it away."""

    def changed(query: Query) -> Query:
        new = change(query.operators[index])
        return replace(query, operators=(*query.operators[:index], *([new] if new else []), *query.operators[index + 1 :]))

    return changed


def _windowed(index: int, change: Callable[[Any], Any]) -> Change:
    return _at(index, lambda aggregate: replace(aggregate, window=change(aggregate.window)))


def _length(index: int, read: Callable[[Any], int]) -> Measure:
    """A length of one operator."""
    return lambda query: read(query.operators[index])


#: How a duration is wrong, by name: in words, and as arithmetic in microseconds.
_DURATIONS: Mapping[str, tuple[str, Callable[[int], int]]] = {
    "1_ms_more": ("is a millisecond too long", lambda us: us + _MS),
    "1_ms_less": ("is a millisecond too short", lambda us: us - _MS),
    "1_s_more": ("is a second too long", lambda us: us + _SECOND),
    "1_s_less": ("is a second too short", lambda us: us - _SECOND),
    "1_min_more": ("is a minute too long", lambda us: us + _MINUTE),
    "1_min_less": ("is a minute too short", lambda us: us - _MINUTE),
    "doubled": ("is twice as long as it should be", lambda us: 2 * us),
    "halved": ("is half as long as it should be", lambda us: us // 2),
    "a_unit_down": ("counts seconds where minutes are meant", lambda us: us // 60),
    "a_unit_up": ("counts hours where minutes are meant", lambda us: us * 60),
    "whole_minutes": ("is cut to whole minutes", lambda us: us // _MINUTE * _MINUTE),
    "whole_hours": ("is cut to whole hours", lambda us: us // _HOUR * _HOUR),
    "number_as_minutes": ("takes its number as minutes, whatever its unit", lambda us: _number(us) * _MINUTE),
}


def _number(us: int) -> int:
    """The number that stands before the unit, where the largest unit that fits is written."""
    return next((us // unit for unit in (_HOUR, _MINUTE, _SECOND, _MS) if us and us % unit == 0), us)


def _durations(
    what: str, about: str, change: Callable[[Callable[[int], int]], Change], measure: Measure, least: int = 1
) -> Iterator[Mutation]:
    for name, (words, wrong) in _DURATIONS.items():
        yield Mutation(f"{what}_{name}", about, f"{_sentence(about)} {words}.", change(_at_least(least, wrong)), measure)


def _at_least(least: int, wrong: Callable[[int], int]) -> Callable[[int], int]:
    return lambda us: max(least, wrong(us))


def _of_watermark(index: int, mark: Watermark, times: Sequence[str]) -> Iterator[Mutation]:
    def delayed(wrong: Callable[[int], int]) -> Change:
        return _at(index, lambda mark: replace(mark, delay=wrong(mark.delay)))

    about = "the watermark's delay"
    yield Mutation("delay_0", about, "The watermark does not wait: its delay is 0.", delayed(lambda _: 0))
    yield from _durations("delay", about, delayed, _length(index, lambda mark: mark.delay), least=0)
    about = "the watermark"
    for name in times:
        if name != mark.column:
            says = f"The watermark is on {name}, not on {mark.column}."
            yield Mutation(f"watermark_on_{name}", about, says, _at(index, _with(column=name)))
    yield Mutation("no_watermark", about, "There is no watermark, or it stands behind the aggregation.", _at(index, lambda _: None))


_GROUPS, _ROWS = "what the groups are by", "which rows of a group count"


def _of_aggregate(index: int, aggregate: Aggregate, times: Sequence[str], columns: Mapping[str, str]) -> Iterator[Mutation]:
    window, keys = aggregate.window, aggregate.keys
    if isinstance(window, Window):
        yield from _of_window(index, window)
    if isinstance(window, Session):
        yield from _of_session(index)
    for name in times:
        if window and name != window.column:
            says = f"The window is on {name}, not on {window.column}."
            yield Mutation(f"window_on_{name}", "the time of the window", says, _windowed(index, _with(column=name)))
    for key in keys:
        rest = tuple(name for name in keys if name != key)
        yield Mutation(f"without_key_{key}", _GROUPS, f"All values of {key} are one group.", _at(index, _with(keys=rest)))
    for name in columns:
        if name not in keys:
            yield Mutation(f"by_{name}_too", _GROUPS, f"The groups are by {name} too.", _at(index, _with(keys=(*keys, name))))
    yield from _of_values(index, columns)


def _of_values(index: int, columns: Mapping[str, str]) -> Iterator[Mutation]:
    """The right function on other rows of its group."""

    def on(choose: Callable[[Sequence[Row]], Sequence[Row]]) -> Change:
        return _at(index, lambda found: replace(found, values={name: _of(value, choose) for name, value in found.values.items()}))

    yield Mutation("last_row", _ROWS, "Only the last row of a group counts.", on(lambda rows: rows[-1:]))
    yield Mutation("first_row", _ROWS, "Only the first row of a group counts.", on(lambda rows: rows[:1]))
    yield Mutation("distinct_rows", _ROWS, "Equal rows count once.", on(_distinct_by(*columns)))
    for name in columns:
        yield Mutation(f"distinct_{name}", _ROWS, f"Rows with an equal {name} count once.", on(_distinct_by(name)))


def _of(value: Callable[[Sequence[Row]], Any], choose: Callable[[Sequence[Row]], Sequence[Row]]) -> Callable[[Sequence[Row]], Any]:
    return lambda rows: value(choose(rows))


def _distinct_by(*names: str) -> Callable[[Sequence[Row]], list[Row]]:
    """The first of the rows that are equal in these columns."""

    def distinct(rows: Sequence[Row]) -> list[Row]:
        return list({tuple(repr(row.get(name)) for name in names): row for row in reversed(rows)}.values())[::-1]

    return distinct


_LENGTH, _SLIDE, _START = "the length of the windows", "the slide of the windows", "where the windows begin and end"


def _of_window(index: int, window: Window) -> Iterator[Mutation]:
    def lasting(wrong: Callable[[int], int]) -> Change:
        return _windowed(index, lambda found: replace(found, duration=max(found.slide or 1, wrong(found.duration))))

    def slid(found: Window, wrong: Callable[[int], int]) -> Window:
        slide = min(found.duration, wrong(found.slide or found.duration))
        if slide * _MOST_WINDOWS < found.duration:
            raise ValueError("an event would be in too many windows")
        return replace(found, slide=slide)

    def sliding(wrong: Callable[[int], int]) -> Change:
        return _windowed(index, lambda found: slid(found, wrong))

    def beginning(wrong: Callable[[int], int]) -> Change:
        return _windowed(index, lambda found: replace(found, start=wrong(found.start)))

    lengths = _durations("window", _LENGTH, lasting, _length(index, lambda found: found.window.duration))
    if window.slide in {None, window.duration}:
        yield Mutation("sliding", _SLIDE, "The windows slide by half their length.", sliding(lambda length: length // 2))
    else:
        yield Mutation("tumbling", _SLIDE, "The windows tumble.", _windowed(index, _with(slide=None)))
        as_slide = _windowed(index, lambda found: replace(found, duration=found.slide or found.duration))
        yield Mutation("window_is_slide", _LENGTH, "The windows are as long as the slide.", as_slide)
        yield from _durations("slide", _SLIDE, sliding, _length(index, lambda found: found.window.slide or found.window.duration))
    yield from lengths
    yield Mutation("shifted_1_ms", _START, "The windows begin a millisecond late.", beginning(lambda start: start + _MS))
    yield Mutation("shifted_1_s", _START, "The windows begin a second late.", beginning(lambda start: start + _SECOND))
    yield Mutation("shifted_1_min", _START, "The windows begin a minute late.", beginning(lambda start: start + _MINUTE))
    if window.start:
        yield Mutation("start_0", _START, "The windows begin at the full hour.", beginning(lambda _: 0))
        yield Mutation("start_negated", _START, "The windows begin before the hour, not after it.", beginning(lambda start: -start))
    yield Mutation("holds_its_end", _START, "The windows hold their end and not their start.", _before(index, window.column))


def _before(index: int, column: str) -> Change:
    """Every event a microsecond earlier: what stands at an edge falls into the window before."""
    earlier = Each(lambda row: [row if row[column] is None else {**row, column: row[column] - 1}])
    return lambda query: replace(query, operators=(*query.operators[:index], earlier, *query.operators[index:]))


def _of_session(index: int) -> Iterator[Mutation]:
    def closed_by(wrong: Callable[[int], int]) -> Change:
        return _windowed(index, lambda found: replace(found, gap=wrong(found.gap)))

    yield from _durations("gap", "the gap", closed_by, _length(index, lambda found: found.window.gap))
    tumbling = _windowed(index, lambda found: Window(found.column, found.gap))
    yield Mutation("tumbling", "sessions", "These are tumbling windows, not sessions.", tumbling)


def _of_deduplication(index: int, found: Deduplicate, columns: Mapping[str, str]) -> Iterator[Mutation]:
    about = "what must be unique"
    yield Mutation("not_deduplicated", about, "Rows that come again pass.", _at(index, lambda _: None))
    yield Mutation(
        "forgets_otherwise", "when a row is forgotten", _forgets(found), _at(index, _with(within_watermark=not found.within_watermark))
    )
    yield Mutation("never_forgotten", "when a row is forgotten", "No row is ever forgotten, and late ones pass.", _for_ever)
    for key in found.keys if len(found.keys) > 1 else ():
        rest = tuple(name for name in found.keys if name != key)
        yield Mutation(f"without_key_{key}", about, f"{key} is no part of what must be unique.", _at(index, _with(keys=rest)))
    for name in columns:
        for within in (True, False) if name not in found.keys else ():
            more = _with(keys=(*found.keys, name), within_watermark=within)
            says = f"{name} is part of what must be unique."
            yield Mutation(f"{name}_in_the_key{'' if within else '_of_drop_duplicates'}", about, says, _at(index, more))


def _for_ever(query: Query) -> Query:
    """DropDuplicates without a watermark."""
    unmarked = (operator for operator in query.operators if not isinstance(operator, Watermark))
    forgetful = (replace(each, within_watermark=False) if isinstance(each, Deduplicate) else each for each in unmarked)
    return replace(query, operators=tuple(forgetful))


def _forgets(right: Deduplicate) -> str:
    if right.within_watermark:
        return "This is dropDuplicates, not dropDuplicatesWithinWatermark: it forgets keys at another time, or never."
    return "This is dropDuplicatesWithinWatermark, not dropDuplicates: it forgets keys."


_CUT, _ORDER = "how many rows come out", "the order of the rows"


def _of_top(index: int) -> Iterator[Mutation]:
    def cut(wrong: Callable[[int], int]) -> Change:
        return _at(index, lambda top: replace(top, n=top.n if top.n is None else max(0, wrong(top.n))))

    def ordered(wrong: Callable[[Any], Any]) -> Change:
        return _at(index, lambda top: replace(top, order=lambda row: wrong(top.order(row))))

    yield Mutation("top_not_cut", _CUT, "All rows come out, not the first n.", _at(index, _with(n=None)))
    yield Mutation("top_one_more", _CUT, "One row too many comes out.", cut(lambda n: n + 1))
    yield Mutation("top_one_less", _CUT, "One row is missing at the end.", cut(lambda n: n - 1))
    yield Mutation("top_20", _CUT, "At most 20 rows come out.", cut(lambda n: min(n, 20)))
    yield Mutation("ties_as_they_came", _ORDER, "Equal rows come in the order in which they came.", ordered(_first))
    yield Mutation("order_reversed", _ORDER, "The order is the other way round.", ordered(lambda order: -_first(order)))
    backwards = ordered(lambda order: (_first(order), [-ord(sign) for sign in _rest(order)]))
    yield Mutation("ties_reversed", _ORDER, "Equal rows come in reverse order.", backwards)
    any_case = ordered(lambda order: (_first(order), _rest(order).lower()))
    yield Mutation("ties_in_any_case", _ORDER, "Equal rows come by name, whatever the case of its letters.", any_case)


def _first(order: Any) -> Any:
    return order[0] if isinstance(order, tuple) else order


def _rest(order: Any) -> str:
    return str(order[1]) if isinstance(order, tuple) and len(order) > 1 else ""
