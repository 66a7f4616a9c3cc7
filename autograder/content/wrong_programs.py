"""Wrong programs made from the right one by rule: from its parameters, its query, the rows that it reads, and what it emits.

They exist in the model alone, so that thousands of them are tried in seconds: to find what no check catches, and to name a mistake.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

from autograder import oracle
from autograder.content.expected import changing
from autograder.content.mistakes import But, Emits, swap
from autograder.model import (
    Add,
    Assignment,
    Batch,
    Call,
    Expectation,
    Fixture,
    Function,
    Join,
    Mistake,
    Parameter,
    Restart,
    Row,
    StepOutput,
    Value,
)

_MS, _SECOND, _MINUTE = 1_000, 1_000_000, 60_000_000
#: Makes a program of the model wrong.
Spoil: TypeAlias = Callable[[Emits], Emits]
#: Says what is wrong, with the values of one call.
Told: TypeAlias = Callable[[Mapping[str, Value]], str]


@dataclass(frozen=True)
class WrongProgram:
    """A program of the model that is wrong in one thing: what that is about, and how it is wrong.

    ``emits`` is the program, ``spoil`` makes it of another one, where that can be. ``told`` says what is wrong with a call's values.
    ``touches`` names what is changed: two that touch the same are no two mistakes.
    """

    id: str
    about: str
    says: str
    emits: Emits
    touches: frozenset[str]
    spoil: Spoil | None = None
    told: Told | None = None

    def sentence(self, values: Mapping[str, Value]) -> str:
        """What is wrong, with the values of one call where it is about one."""
        return self.told(values) if self.told else self.says


def both(one: WrongProgram, other: WrongProgram) -> WrongProgram | None:
    """A program with both mistakes; None where they touch the same, or where it cannot be made."""
    if other.spoil is None or not one.touches.isdisjoint(other.touches):
        return None

    def told(values: Mapping[str, Value]) -> str:
        return f"{one.sentence(values)} And: {other.sentence(values)}"

    touches = one.touches | other.touches
    return WrongProgram(
        f"{one.id}+{other.id}", _about(one, other), f"{one.says} And: {other.says}", other.spoil(one.emits), touches, told=told
    )


def _about(*wrongs: WrongProgram) -> str:
    return " and ".join(sorted(wrong.about for wrong in wrongs))


@dataclass(frozen=True)
class Example:
    """A fixture that a function is called with, and the values of its parameters: the shape of its query is taken from it."""

    fixture: Fixture
    values: Mapping[str, Value]


#: Parameters that are names on brokers. Each replay adds a mark of its own to them, so that no two calls have the same.
MARKED = frozenset({"topic", "group"})


def as_called(example: Example) -> Example:
    """An example whose steps call with values of their own, as one that is called with these: a wrong program is wrong in them too.

    Names on brokers stay in their steps: a fixture's topic is called by them. So do values in which the steps differ.
    """
    calls = [step.parameters for step in example.fixture.steps if isinstance(step, (Call, Join))]
    if not calls or any(each != calls[0] for each in calls) or MARKED & set(calls[0]) or not set(calls[0]) <= set(example.values):
        return example
    steps = tuple(replace(step, parameters={}) if isinstance(step, (Call, Join)) else step for step in example.fixture.steps)
    return Example(replace(example.fixture, steps=steps), {**example.values, **calls[0]})


def wrong_programs(assignment: Assignment, expectation: Expectation, function: Function, example: Example) -> list[WrongProgram]:
    """All of a function: those of its author, and those by rule."""
    return [*of_author(expectation, function), *by_rule(assignment, expectation, function, example)]


def of_author(expectation: Expectation, function: Function) -> list[WrongProgram]:
    """The known mistakes of a function, of which it is known what they emit."""
    right = expectation.emits[function.name]
    return [_of_mistake(mistake, right) for mistake in expectation.mistakes.get(function.name, ()) if mistake.emits]


def _of_mistake(mistake: Mistake, right: Emits) -> WrongProgram:
    change = mistake.emits
    assert change is not None  # such mistakes are left out above
    if isinstance(change, But) and change.program is right:
        return WrongProgram(mistake.id, mistake.id, mistake.says, change, frozenset(change.changes), partial(_but, change.changes))
    return WrongProgram(mistake.id, mistake.id, mistake.says, change, frozenset())


def _but(changes: Mapping[str, Any], right: Emits) -> Emits:
    return But(changes, right)


def by_rule(assignment: Assignment, expectation: Expectation, function: Function, example: Example) -> list[WrongProgram]:
    """The wrong programs of a function that rules make. One of an author's name is left out."""
    right = expectation.emits[function.name]
    taken = {mistake.id for mistake in expectation.mistakes.get(function.name, ())}
    found = [
        *_of_parameters(assignment, function),
        *_of_queries(right, example),
        *_of_operations(right, example),
        *_of_rows(example.fixture),
        *_of_output(function),
    ]
    return list({rule.id: _made(rule, right) for rule in found if rule.id not in taken}.values())


@dataclass(frozen=True)
class _Rule:
    """How a program is spoiled, and in which words."""

    id: str
    about: str
    says: str
    spoil: Spoil
    told: Told | None = None
    touches: frozenset[str] = frozenset()


def _made(rule: _Rule, right: Emits) -> WrongProgram:
    return WrongProgram(rule.id, rule.about, rule.says, rule.spoil(right), rule.touches or frozenset({rule.about}), rule.spoil, rule.told)


# Parameters.


def _of_parameters(assignment: Assignment, function: Function) -> Iterator[_Rule]:
    parameters = {name: assignment.parameters[name] for name in function.parameters if name in assignment.parameters}
    for name, parameter in parameters.items():
        yield from _of_parameter(parameter)
        for other, another in parameters.items():
            if name < other and type(parameter.default) is type(another.default):
                says = f"{name} and {other} are swapped."
                yield _Rule(
                    f"{name}_and_{other}_swapped",
                    f"{name} and {other}",
                    says,
                    partial(_swapped, name, other),
                    touches=frozenset({name, other}),
                )


def _swapped(one: str, other: str, right: Emits) -> Emits:
    return swap(right, one, other)


def _of_parameter(parameter: Parameter) -> Iterator[_Rule]:
    name = parameter.name
    for change, says, wrong in _of_value(name, parameter.default):
        yield _Rule(f"{name}_{change}", name, says, partial(_with_value, name, wrong), partial(_told_value, name, says, wrong))


def _of_value(name: str, default: Value) -> Iterator[tuple[str, str, Callable[[Any], Value]]]:
    if isinstance(default, int) and not isinstance(default, bool):
        yield "one_more", f"{name} is one too many.", lambda value: value + 1
        yield "one_less", f"{name} is one too few.", lambda value: max(1, value - 1)
        yield "at_most_default", f"{name} is never above {default}.", lambda value: min(value, default)
        yield "at_least_default", f"{name} is never below {default}.", lambda value: max(value, default)
        yield "never", f"{name} has no effect: it is as if it were without end.", lambda _: _NO_END
    elif isinstance(default, str) and length(default):
        for change, word, wrong in (("at_most_default", "above", min), ("at_least_default", "below", max)):
            yield change, f"{name} is never {word} {default}.", _bounded(wrong, oracle.duration(default))


_NO_END = 10**6


def _told_value(name: str, says: str, wrong: Callable[[Any], Value], values: Mapping[str, Value]) -> str:
    acts = wrong(values[name])
    if acts == _NO_END:
        return says
    return f"{says[:-1]}: it acts as {_in_words(acts)} instead of {values[name]}."


def _in_words(value: Value) -> str:
    micros = length(value)
    return oracle.in_words(micros) if micros is not None else str(value)


def _bounded(wrong: Callable[[int, int], int], bound: int) -> Callable[[Any], Value]:
    return lambda value: f"{wrong(oracle.duration(value), bound)} microseconds"


def length(value: Value) -> int | None:
    """The microseconds of a duration; None for what is none."""
    try:
        return oracle.duration(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _with_value(name: str, wrong: Callable[[Any], Value], right: Emits) -> Emits:
    return lambda fixture, **values: right(fixture, **{**values, name: wrong(values[name])})


# Queries.


class RefusedError(Exception):
    """Spark refuses the query."""


def _of_queries(right: Emits, example: Example) -> Iterator[_Rule]:
    def query(values: Mapping[str, Value]) -> oracle.Query:
        return queries(right, replace(example, values=values))[0]

    columns = dict(next(iter(example.fixture.schemas.values()), ()))
    found = queries(right, example)
    for mutation in oracle.mutations(found[0], columns) if len(found) == 1 else ():
        touches = frozenset({mutation.id.split("_")[0] if mutation.measure else mutation.about})  # a length is called as its parameter is
        told = partial(_told_query, mutation, query)
        yield _Rule(mutation.id, mutation.about, mutation.says, partial(_mutated, mutation), told, touches)


def queries(right: Emits, example: Example) -> list[oracle.Query]:
    """The queries that a program replays on an example."""
    seen: list[oracle.Query] = []

    def look(query: oracle.Query) -> oracle.Query:
        seen.append(query)
        return query

    with changing(look):
        right(example.fixture, **example.values)
    return seen


def _told_query(mutation: oracle.Mutation, query: Callable[[Mapping[str, Value]], oracle.Query], values: Mapping[str, Value]) -> str:
    return mutation.told(query(values)) if mutation.measure else mutation.says


def _mutated(mutation: oracle.Mutation, right: Emits) -> Emits:
    def allowed(query: oracle.Query) -> oracle.Query:
        found = mutation.change(query)
        if oracle.allowed_modes(found)[found.mode]:
            raise RefusedError
        return found

    return _within(lambda: changing(allowed), right)


def _within(context: Callable[[], AbstractContextManager[None]], right: Emits) -> Emits:
    """The program, run in a context that changes what it does."""

    def emits(fixture: Fixture, **values: Value) -> tuple[StepOutput, ...]:
        with context():
            return right(fixture, **values)

    return emits


# DStream operators.


def _of_operations(right: Emits, example: Example) -> Iterator[_Rule]:
    seen: dict[str, oracle.Operation] = {}

    def look(operation: oracle.Operation) -> oracle.Operation:
        seen.setdefault(operation.name, operation)
        return operation

    with oracle.changing_operations(look):
        right(example.fixture, **example.values)
    for operation in seen.values():
        for wrong in oracle.operation_mutations(operation):
            yield _Rule(wrong.id, wrong.about, wrong.says, partial(_operating, wrong.change), touches=frozenset({wrong.argument}))


def _operating(change: Callable[[oracle.Operation], oracle.Operation], right: Emits) -> Emits:
    return _within(lambda: oracle.changing_operations(change), right)


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


def _of_rows(fixture: Fixture) -> Iterator[_Rule]:
    for source, columns in fixture.schemas.items():
        for name, kind in columns:
            for change, says, wrong in _of_cell(name, kind):
                yield _Rule(f"{source}_{change}", f"{name} as it is read", says, partial(_reading, source, _each(name, wrong)))
        about = f"which rows of {source} count"
        for change, (says, on_rows) in _ROWS.items():
            yield _Rule(f"{source}_{change}", about, says, partial(_reading, source, on_rows))
        yield _Rule(f"{source}_seen_once", about, "A row that was there before does not count.", partial(_seen_once, source))
        times = [name for name, kind in columns if kind == "TIMESTAMP"]
        for name in times:
            says = f"Rows that are late by {name} are left out."
            yield _Rule(f"{source}_late_{name}_dropped", about, says, partial(_on_time, source, name))
    yield _Rule("new_at_restart", "what a restart keeps", "A restart begins anew.", _anew)


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


def _reading(source: str, change: Callable[[Sequence[Row]], Sequence[Row]], right: Emits) -> Emits:
    def emits(fixture: Fixture, **values: Value) -> tuple[StepOutput, ...]:
        steps = tuple(
            Add({**step.rows, source: tuple(change(step.rows.get(source, ())))}) if isinstance(step, Add) else step
            for step in fixture.steps
        )
        return right(replace(fixture, steps=steps), **values)

    return emits


def _seen_once(source: str, right: Emits) -> Emits:
    def emits(fixture: Fixture, **values: Value) -> tuple[StepOutput, ...]:
        seen: set[str] = set()

        def new(rows: Sequence[Row]) -> list[Row]:
            found = [row for row in rows if repr(row) not in seen]
            seen.update(map(repr, found))
            return found

        return _reading(source, new, right)(fixture, **values)

    return emits


def _on_time(source: str, name: str, right: Emits) -> Emits:
    def emits(fixture: Fixture, **values: Value) -> tuple[StepOutput, ...]:
        latest = -(1 << 62)

        def new(rows: Sequence[Row]) -> list[Row]:
            nonlocal latest
            found = [row for row in rows if row[name] is None or row[name] >= latest]
            latest = max([latest, *(row[name] for row in rows if row[name] is not None)])
            return found

        return _reading(source, new, right)(fixture, **values)

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


def _of_output(function: Function) -> Iterator[_Rule]:
    numbers = [name for name, kind in function.columns.items() if kind in {"INT", "BIGINT", "LONG", "DOUBLE"}]
    texts = [name for name, kind in function.columns.items() if kind == "STRING"]
    about = "which rows come out"
    for name in numbers:
        for change, says, holds in _FILTERS:
            yield _Rule(f"{name}_{change}", about, says.format(name=name), partial(_emitting, _keeping(name, holds)))
    for name in texts:
        for change, (says, wrong) in _TEXTS.items():
            changed = partial(_emitting, _each(name, _unless_null(wrong)))
            yield _Rule(f"emitted_{name}_{change}", f"{name} as it comes out", f"{name} comes out changed: {says}.", changed)
    if {"window_start", "window_end"} <= set(function.columns):
        swapped = "The two ends of a window are swapped."
        yield _Rule("ends_swapped", "the ends of a window", swapped, partial(_emitting, _ends_swapped))
    yield _Rule("first_20_rows", about, "At most 20 rows come out.", partial(_emitting, lambda rows: rows[:20]))
    yield _Rule("no_first_output", about, "The first output is missing.", _without_first)


_FILTERS: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
    ("above_1", "Rows whose {name} is 1 do not come out.", lambda value: value is None or value != 1),
    ("above_0", "Rows whose {name} is 0 do not come out.", lambda value: value is None or value != 0),
    ("not_below_0", "Rows whose {name} is below 0 do not come out.", lambda value: value is None or value >= 0),
)


def _keeping(name: str, holds: Callable[[Any], bool]) -> Callable[[Sequence[Row]], list[Row]]:
    return lambda rows: [row for row in rows if holds(row.get(name))]


def _ends_swapped(rows: Iterable[Row]) -> list[Row]:
    return [{**row, "window_start": row["window_end"], "window_end": row["window_start"]} for row in rows]


def _emitting(change: Callable[[Sequence[Row]], Sequence[Row]], right: Emits) -> Emits:
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
            found[first] = StepOutput((Batch(()),))
        return tuple(found)

    return emits
