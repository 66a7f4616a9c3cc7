"""Whether an assignment's fixtures are strong: which wrong programs, made by rule, no check catches, and the stream that would."""

from __future__ import annotations

import itertools
import json
import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from autograder.content.expressions import iso
from autograder.content.files import read_text
from autograder.content.fixtures import SCALAR
from autograder.content.mistakes import Emits
from autograder.content.random_streams import streams_like
from autograder.content.wrong_programs import RefusedError, WrongProgram, both
from autograder.grading.answer_key import AnswerKey
from autograder.judge.compare import compare
from autograder.model import (
    Add,
    Check,
    Columns,
    Fixture,
    Flush,
    Function,
    KitError,
    Observation,
    Restart,
    Row,
    Step,
    StepOutput,
    Value,
)

#: Random streams on which a program that no check catches is tried, before it is taken for the same program.
TRIES = 100
#: The file beside ``expected.py`` that names wrong programs which are the same by the rules, by function and id, with the reason.
SAME = "equivalent.toml"


@dataclass(frozen=True)
class Case:
    """A check on one fixture: what it is called with, and what a right program emits."""

    check: Check
    fixture: Fixture
    values: Mapping[str, Value]
    expected: tuple[StepOutput, ...]


@dataclass(frozen=True)
class Survivor:
    """A wrong program that gets full points. ``stream`` tells it from the right one; None where none was found."""

    function: str
    wrong: WrongProgram
    stream: Fixture | None


def cases(answer_key: AnswerKey, name: str, parameters: Mapping[str, Value]) -> list[Case]:
    """All that the checks of a function are judged by, with these parameters of the assignment."""
    found = []
    for check in answer_key.assignment.checks:
        if check.function == name:
            values = {**parameters, **check.parameters}
            given = {key: values[key] for key in answer_key.function(check).parameters}
            for fixture in answer_key.fixtures(check, dict(parameters)):
                found.append(Case(check, fixture, given, answer_key.expected(check, fixture, dict(parameters))))
    return found


def missed(function: Function, found: Sequence[Case], wrongs: Sequence[WrongProgram], *, in_pairs: bool = False) -> list[WrongProgram]:
    """The wrong programs that no case catches; ``in_pairs``: also those with two mistakes, each of which is caught alone."""
    missed = [wrong for wrong in wrongs if not _is_caught_by(found, function, wrong)]
    if not in_pairs:
        return missed
    ids = {wrong.id for wrong in missed}
    pairs = itertools.starmap(both, itertools.combinations([wrong for wrong in wrongs if wrong.id not in ids], 2))
    return missed + [pair for pair in pairs if pair and not _is_caught_by(found, function, pair)]


def _is_caught_by(found: Sequence[Case], function: Function, wrong: WrongProgram) -> bool:
    return any(is_caught(function, case, wrong.emits) for case in found)


def named_as_same(answer_key: AnswerKey) -> Mapping[str, Mapping[str, str]]:
    """Of each function the ids of wrong programs that are the same by the rules, with the reason. Raises KitError for another file."""
    path = answer_key.catalog.solutions(answer_key.assignment.slug) / SAME
    if not path.is_file():
        return {}
    try:
        return TypeAdapter(dict[str, dict[str, str]]).validate_python(tomllib.loads(read_text(path)))
    except (tomllib.TOMLDecodeError, ValidationError, RecursionError) as error:
        raise KitError(f"{path}: {error}", 'It has a table for each function, and in it lines such as id = "reason".') from error


def to_fixture(stream: Fixture, says: str) -> str:
    """A stream as a fixture's file. Times are written as they are."""
    sources = {name: _ddl(columns) for name, columns in stream.schemas.items()}
    header = {"fixture": 1, "says": says, "drive": stream.drive.name, "sources": sources}
    lines = [header, *(_line(stream, step) for step in stream.steps)]
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


def _ddl(columns: Columns) -> str:
    return columns[0][1] if columns[0][0] == SCALAR else ", ".join(f"{name} {kind}" for name, kind in columns)


def _line(stream: Fixture, step: Step) -> dict[str, Any]:
    match step:
        case Restart(crash=crash):
            return {"crash" if crash else "restart": True}
        case Flush():
            return {"flush": True}
        case Add(rows=rows):
            return {"add": {source: [_cells(stream.schemas[source], row) for row in some] for source, some in rows.items()}}
    raise TypeError(f"{step!r} is no step of a drawn stream")


def _cells(columns: Columns, row: Row) -> Any:
    cells = [iso(row[name]) if kind == "TIMESTAMP" and row[name] is not None else row[name] for name, kind in columns]
    return cells[0] if len(columns) == 1 and columns[0][0] == SCALAR else cells


def is_caught(function: Function, case: Case, wrong: Emits) -> bool:
    """Whether a check fails on what a wrong program emits."""
    try:
        emitted = wrong(case.fixture, **case.values)
    except (RefusedError, ValueError, KeyError, TypeError, ArithmeticError, AttributeError):
        return True  # a query that Spark refuses, or a program that raises
    return compare(function, case.check.compare, case.expected, Observation(emitted)) is not None


def told_by(answer_key: AnswerKey, function: Function, wrong: Emits, found: Sequence[Case], chance: random.Random) -> Fixture | None:
    """The smallest stream found on which a right program emits something else; None where it is the same on all that were tried."""
    drawing = streams_like([case.fixture for case in found], chance)
    if drawing is None:
        return None
    right = answer_key.expectation.emits[function.name]
    for _ in range(TRIES):
        values = {**found[0].values, **_drawn_values(answer_key, function, chance)}
        fixture = drawing.stream(values)
        if _differs(function, right, wrong, fixture, values):
            return _smallest(function, right, wrong, fixture, values)
    return None


def _drawn_values(answer_key: AnswerKey, function: Function, chance: random.Random) -> dict[str, Value]:
    parameters = answer_key.assignment.parameters
    return {name: chance.choice(parameters[name].choices) for name in function.parameters}


def _differs(function: Function, right: Emits, wrong: Emits, fixture: Fixture, values: Mapping[str, Value]) -> bool:
    check = Check("strength", "strength", function.name, ("strength",), 1, ("strength",))
    expected = right(fixture, **values)
    return bool(fixture.steps) and is_caught(function, Case(check, fixture, values, expected), wrong)


def _smallest(function: Function, right: Emits, wrong: Emits, fixture: Fixture, values: Mapping[str, Value]) -> Fixture:
    """The stream without every step and row that can be taken away."""
    shrunk = True
    while shrunk:
        shrunk = False
        for smaller in _smaller(fixture):
            if _differs(function, right, wrong, smaller, values):
                fixture, shrunk = smaller, True
                break
    return fixture


def _smaller(fixture: Fixture) -> Iterator[Fixture]:
    for index, step in enumerate(fixture.steps):
        before, after = fixture.steps[:index], fixture.steps[index + 1 :]
        yield replace(fixture, steps=(*before, *after))
        if isinstance(step, Add):
            for source, rows in step.rows.items():
                for place in range(len(rows)):
                    fewer = Add({**step.rows, source: (*rows[:place], *rows[place + 1 :])})
                    yield replace(fixture, steps=(*before, fewer, *after))
