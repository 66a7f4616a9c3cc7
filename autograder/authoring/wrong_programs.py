"""Wrong programs made from the right one by rule: from its parameters, its query, the rows that it reads, and what it emits.

They exist in the model alone, so that thousands of them are tried in seconds.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograder import oracle
from autograder.content.expected import changing
from autograder.content.mistakes import Emits
from autograder.grading.answer_key import AnswerKey
from autograder.model import Add, Batch, Fixture, Function, Restart, Row, StepOutput, Value

_MS, _SECOND, _MINUTE, _HOUR = 1_000, 1_000_000, 60_000_000, 3_600_000_000


@dataclass(frozen=True)
class WrongProgram:
    """A program of the model that is wrong in one thing, in words."""

    id: str
    says: str
    emits: Emits


def wrong_programs(answer_key: AnswerKey, function: Function, fixture: Fixture, values: Mapping[str, Value]) -> list[WrongProgram]:
    """All of a function: those of its author, and those by rule, whose shape is taken from one fixture and its values."""
    right = answer_key.expectation.emits[function.name]
    mistakes = answer_key.expectation.mistakes.get(function.name, ())
    found = [WrongProgram(mistake.id, mistake.says, mistake.emits) for mistake in mistakes if mistake.emits]
    found += _of_parameters(answer_key, function, right)
    found += _of_queries(right, fixture, values)
    found += _of_rows(right, fixture)
    found += _of_output(right, function)
    return list({wrong.id: wrong for wrong in reversed(found)}.values())[::-1]


# Parameters.


def _of_parameters(answer_key: AnswerKey, function: Function, right: Emits) -> Iterator[WrongProgram]:
    parameters = {name: answer_key.assignment.parameters[name] for name in function.parameters if name in answer_key.assignment.parameters}
    for name, parameter in parameters.items():
        for change, says, wrong in _of_value(name, parameter.default):
            yield WrongProgram(f"{name}_{change}", says, _with_value(right, name, wrong))
        for other, another in parameters.items():
            if name < other and type(parameter.default) is type(another.default):
                yield WrongProgram(f"{name}_and_{other}_swapped", f"{name} and {other} are swapped.", _swapped(right, name, other))


def _of_value(name: str, default: Value) -> Iterator[tuple[str, str, Callable[[Any], Value]]]:
    yield "is_default", f"The value of {name} is written into the code: {default}.", lambda _: default
    if isinstance(default, int) and not isinstance(default, bool):
        yield "one_more", f"{name} is one too many.", lambda value: value + 1
        yield "one_less", f"{name} is one too few.", lambda value: max(1, value - 1)
        yield "at_most_default", f"{name} is never above {default}.", lambda value: min(value, default)
        yield "at_least_default", f"{name} is never below {default}.", lambda value: max(value, default)
        yield "never", f"{name} has no end.", lambda _: 10**6
    elif isinstance(default, str) and _is_duration(default):
        for change, wrong in {"at_most_default": min, "at_least_default": max}.items():
            bound = oracle.duration(default)
            word = "above" if wrong is min else "below"
            yield change, f"{name} is never {word} {default}.", _bounded(wrong, bound)


def _bounded(wrong: Callable[[int, int], int], bound: int) -> Callable[[Any], Value]:
    return lambda value: f"{wrong(oracle.duration(value), bound)} microseconds"


def _is_duration(text: str) -> bool:
    try:
        oracle.duration(text)
    except ValueError:
        return False
    return True


def _with_value(right: Emits, name: str, wrong: Callable[[Any], Value]) -> Emits:
    return lambda fixture, **values: right(fixture, **{**values, name: wrong(values[name])})


def _swapped(right: Emits, one: str, other: str) -> Emits:
    return lambda fixture, **values: right(fixture, **{**values, one: values[other], other: values[one]})


# Queries.


class RefusedError(Exception):
    """Spark refuses the query."""


def _of_queries(right: Emits, fixture: Fixture, values: Mapping[str, Value]) -> Iterator[WrongProgram]:
    seen: list[oracle.Query] = []

    def look(query: oracle.Query) -> oracle.Query:
        seen.append(query)
        return query

    with changing(look):
        right(fixture, **values)
    columns = dict(next(iter(fixture.schemas.values()), ()))
    for mutation in oracle.mutations(seen[0], columns) if len(seen) == 1 else ():
        yield WrongProgram(mutation.id, mutation.says, _of_query(right, mutation.change))


def _of_query(right: Emits, change: Callable[[oracle.Query], oracle.Query]) -> Emits:
    def allowed(query: oracle.Query) -> oracle.Query:
        found = change(query)
        if oracle.allowed_modes(found)[found.mode]:
            raise RefusedError
        return found

    def emits(fixture: Fixture, **values: Value) -> tuple[StepOutput, ...]:
        with changing(allowed):
            return right(fixture, **values)

    return emits


# Rows that are read.

_TEXTS: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "in_lower_case": ("in lower case", str.lower),
    "in_upper_case": ("in upper case", str.upper),
    "stripped": ("without white space at its ends", str.strip),
    "without_punctuation": ("without punctuation at its ends", lambda text: text.strip(string.punctuation)),
    "first_word": ("to its first word", lambda text: (text.split() or [""])[0]),
    "cut": ("to its first ten letters", lambda text: text[:10]),
    "ascii": ("to what is ASCII", lambda text: text.encode("ascii", "ignore").decode()),
}
_TIMES: Mapping[str, int] = {"seconds": _SECOND, "minutes": _MINUTE, "milliseconds": _MS}


def _of_rows(right: Emits, fixture: Fixture) -> Iterator[WrongProgram]:
    for source, columns in fixture.schemas.items():
        for name, kind in columns:
            for change, says, wrong in _of_cell(name, kind):
                yield WrongProgram(f"{source}_{change}", says, _reading(right, source, _each(name, wrong)))
        for change, (says, on_rows) in _ROWS.items():
            yield WrongProgram(f"{source}_{change}", says, _reading(right, source, on_rows))
        yield WrongProgram(f"{source}_seen_once", "A row that was there before does not count.", _seen_once(right, source))
        times = [name for name, kind in columns if kind == "TIMESTAMP"]
        for name in times:
            yield WrongProgram(
                f"{source}_late_{name}_dropped", f"Rows that are late by {name} are left out.", _on_time(right, source, name)
            )
    yield WrongProgram("new_at_restart", "A restart begins anew.", _anew(right))


_LEAVES_OUT = object()


def _of_cell(name: str, kind: str) -> Iterator[tuple[str, str, Callable[[Any], Any]]]:
    yield f"{name}_without_null", f"Rows without {name} are left out.", lambda cell: _LEAVES_OUT if cell is None else cell
    if kind == "STRING":
        yield f"{name}_without_empty", f"Rows with an empty {name} are left out.", lambda cell: cell or _LEAVES_OUT
        for change, (says, wrong) in _TEXTS.items():
            yield f"{name}_{change}", f"{name} is cut or changed: {says}.", _unless_null(wrong)
    elif kind == "TIMESTAMP":
        for word, unit in _TIMES.items():
            yield f"{name}_in_{word}", f"{name} is cut to whole {word}.", _unless_null(_cut_to(unit))
    elif kind in {"INT", "BIGINT", "DOUBLE"}:
        yield f"{name}_above_0", f"Rows with {name} of 0 or below are left out.", _leaving_out(lambda cell: cell <= 0)
        yield f"{name}_from_0", f"Rows with {name} below 0 are left out.", _leaving_out(lambda cell: cell < 0)
        yield f"{name}_without_sign", f"{name} loses its sign.", _unless_null(abs)


def _cut_to(unit: int) -> Callable[[int], int]:
    return lambda time: time // unit * unit


def _leaving_out(which: Callable[[Any], bool]) -> Callable[[Any], Any]:
    return _unless_null(lambda cell: _LEAVES_OUT if which(cell) else cell)


def _unless_null(wrong: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda cell: None if cell is None else wrong(cell)


def _each(name: str, wrong: Callable[[Any], Any]) -> Callable[[Sequence[Row]], list[Row]]:
    def changed(rows: Sequence[Row]) -> list[Row]:
        found = [(row, wrong(row[name])) for row in rows]
        return [{**row, name: cell} for row, cell in found if cell is not _LEAVES_OUT]

    return changed


def _distinct(rows: Sequence[Row]) -> list[Row]:
    return list({repr(row): row for row in rows}.values())


_ROWS: Mapping[str, tuple[str, Callable[[Sequence[Row]], Sequence[Row]]]] = {
    "distinct": ("Of equal rows that come together one counts.", _distinct),
    "first_alone": ("Of rows that come together the first counts.", lambda rows: rows[:1]),
    "last_alone": ("Of rows that come together the last counts.", lambda rows: rows[-1:]),
    "first_20": ("Of rows that come together the first 20 count.", lambda rows: rows[:20]),
}


def _reading(right: Emits, source: str, change: Callable[[Sequence[Row]], Sequence[Row]]) -> Emits:
    def emits(fixture: Fixture, **values: Value) -> tuple[StepOutput, ...]:
        steps = tuple(
            Add({**step.rows, source: tuple(change(step.rows.get(source, ())))}) if isinstance(step, Add) else step
            for step in fixture.steps
        )
        return right(replace(fixture, steps=steps), **values)

    return emits


def _seen_once(right: Emits, source: str) -> Emits:
    def emits(fixture: Fixture, **values: Value) -> tuple[StepOutput, ...]:
        seen: set[str] = set()

        def new(rows: Sequence[Row]) -> list[Row]:
            found = [row for row in rows if repr(row) not in seen]
            seen.update(map(repr, found))
            return found

        return _reading(right, source, new)(fixture, **values)

    return emits


def _on_time(right: Emits, source: str, name: str) -> Emits:
    def emits(fixture: Fixture, **values: Value) -> tuple[StepOutput, ...]:
        latest = -(1 << 62)

        def new(rows: Sequence[Row]) -> list[Row]:
            nonlocal latest
            found = [row for row in rows if row[name] is None or row[name] >= latest]
            latest = max([latest, *(row[name] for row in rows if row[name] is not None)])
            return found

        return _reading(right, source, new)(fixture, **values)

    return emits


def _anew(right: Emits) -> Emits:
    """What comes after a restart, as if nothing had been before."""

    def emits(fixture: Fixture, **values: Value) -> tuple[StepOutput, ...]:
        found: list[StepOutput] = []
        part: list[Any] = []
        for step in [*fixture.steps, None]:
            if step is None or (isinstance(step, Restart) and not step.crash):
                found += right(replace(fixture, steps=tuple(part)), **values)
                part = []
            if step is not None:
                part.append(step)
        return tuple(found)

    return emits


# What is emitted.


def _of_output(right: Emits, function: Function) -> Iterator[WrongProgram]:
    numbers = [name for name, kind in function.columns.items() if kind in {"INT", "BIGINT", "LONG", "DOUBLE"}]
    texts = [name for name, kind in function.columns.items() if kind == "STRING"]
    for name in numbers:
        for change, says, holds in _FILTERS:
            yield WrongProgram(f"{name}_{change}", says.format(name=name), _emitting(right, _keeping(name, holds)))
    for name in texts:
        for change, (says, wrong) in _TEXTS.items():
            changed = _emitting(right, _each(name, _unless_null(wrong)))
            yield WrongProgram(f"emitted_{name}_{change}", f"{name} comes out changed: {says}.", changed)
    if {"window_start", "window_end"} <= set(function.columns):
        yield WrongProgram("ends_swapped", "The two ends of a window are swapped.", _emitting(right, _ends_swapped))
    yield WrongProgram("first_20_rows", "At most 20 rows come out.", _emitting(right, lambda rows: rows[:20]))
    yield WrongProgram("no_first_output", "The first output is missing.", _without_first(right))


_FILTERS: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
    ("above_1", "Rows whose {name} is 1 do not come out.", lambda value: value is None or value != 1),
    ("above_0", "Rows whose {name} is 0 do not come out.", lambda value: value is None or value != 0),
    ("not_below_0", "Rows whose {name} is below 0 do not come out.", lambda value: value is None or value >= 0),
)


def _keeping(name: str, holds: Callable[[Any], bool]) -> Callable[[Sequence[Row]], list[Row]]:
    return lambda rows: [row for row in rows if holds(row.get(name))]


def _ends_swapped(rows: Iterable[Row]) -> list[Row]:
    return [{**row, "window_start": row["window_end"], "window_end": row["window_start"]} for row in rows]


def _emitting(right: Emits, change: Callable[[Sequence[Row]], Sequence[Row]]) -> Emits:
    def emits(fixture: Fixture, **values: Value) -> tuple[StepOutput, ...]:
        return tuple(_changed(step, change) for step in right(fixture, **values))

    return emits


def _changed(step: StepOutput, change: Callable[[Sequence[Row]], Sequence[Row]]) -> StepOutput:
    return StepOutput(tuple(replace(batch, rows=tuple(change(batch.rows))) for batch in step.batches))


def _without_first(right: Emits) -> Emits:
    def emits(fixture: Fixture, **values: Value) -> tuple[StepOutput, ...]:
        found = list(right(fixture, **values))
        first = next((index for index, step in enumerate(found) if step.rows), None)
        if first is not None:
            found[first] = StepOutput(tuple(replace(batch, rows=()) for batch in found[first].batches) and (Batch(()),))
        return tuple(found)

    return emits
