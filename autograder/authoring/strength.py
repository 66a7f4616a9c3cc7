"""Whether an assignment's fixtures are strong: which wrong programs, made by rule, no check catches, and the stream that would."""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from autograder import oracle
from autograder.authoring.wrong_programs import RefusedError, WrongProgram, wrong_programs
from autograder.content.expressions import iso
from autograder.content.files import read_text
from autograder.content.fixtures import SCALAR
from autograder.content.mistakes import Emits
from autograder.grading.answer_key import AnswerKey
from autograder.judge.compare import compare
from autograder.model import (
    Add,
    Check,
    Columns,
    Drive,
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
    Variant,
)

#: Random streams on which a program that no check catches is tried, before it is taken for the same program.
TRIES = 100
#: The file beside ``expected.py`` that names wrong programs which are the same by the rules, by function and id, with the reason.
SAME = "equivalent.toml"
_MS, _MINUTE = 1_000, 60_000_000
_MOST_STEPS, _MOST_ROWS = 6, 5
#: Columns whose cells are tried with other letters: a word may stand in any case, and with a sign at its end.
_SPELLINGS = (str.upper, str.capitalize, lambda text: f"{text} ", lambda text: f"{text}!", lambda text: f"{text}é", lambda text: text * 4)


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


def survivors(answer_key: AnswerKey, variant: Variant, seed: int = 0) -> Iterator[Survivor]:
    """Of every function the wrong programs that no check catches, and a stream that tells them where one is found."""
    key = replace(answer_key, seeds=variant.seeds)
    same = named_as_same(answer_key)
    for name, function in answer_key.assignment.functions.items():
        found = cases(key, name, variant.parameters)
        wrongs = wrong_programs(key, function, found[0].fixture, found[0].values)
        for wrong in wrongs:
            if wrong.id in same.get(name, {}) or any(is_caught(function, case, wrong.emits) for case in found):
                continue
            chance = random.Random(seed)  # noqa: S311  # the same streams each time
            yield Survivor(name, wrong, told_by(key, function, wrong.emits, found, chance))


def problems(answer_key: AnswerKey, variant: Variant) -> list[str]:
    """The wrong programs that get full points although a stream tells them, a line each."""
    slug = answer_key.assignment.slug
    weak = [found for found in survivors(answer_key, variant) if found.stream]
    return [
        f"{slug}: no check of {each.function} catches {each.wrong.id}: {each.wrong.says} (`autograder strength {slug}`)" for each in weak
    ]


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
    observation = Observation(emitted, tuple(function.columns.items()))
    return compare(function, case.check.compare, case.expected, observation) is not None


def told_by(answer_key: AnswerKey, function: Function, wrong: Emits, found: Sequence[Case], chance: random.Random) -> Fixture | None:
    """The smallest stream found on which a right program emits something else; None where it is the same on all that were tried."""
    case = next((case for case in found if any(isinstance(step, Add) for step in case.fixture.steps)), None)
    if case is None:
        return None
    right = answer_key.expectation.emits[function.name]
    drawing = _Drawing(found, chance)
    for _ in range(TRIES):
        values = {**case.values, **_drawn_values(answer_key, function, chance)}
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


class _Drawing:
    """Random streams like an assignment's own: of the values in its fixtures, at times that matter to the parameters."""

    def __init__(self, found: Sequence[Case], chance: random.Random) -> None:
        self.chance = chance
        self.like = next(case.fixture for case in found if any(isinstance(step, Add) for step in case.fixture.steps))
        rows = [
            (source, row)
            for case in found
            for step in case.fixture.steps
            if isinstance(step, Add)
            for source, some in step.rows.items()
            for row in some
        ]
        self.start = min((cell for source, row in rows for cell in self._times(source, row)), default=0)
        self.cells = {
            (source, name): sorted({row[name] for where, row in rows if where == source}, key=repr)
            for source, columns in self.like.schemas.items()
            for name, _ in columns
        }
        self.restarts = any(isinstance(step, Restart) for case in found for step in case.fixture.steps)

    def _times(self, source: str, row: Row) -> list[int]:
        return [row[name] for name, kind in self.like.schemas.get(source, ()) if kind == "TIMESTAMP" and isinstance(row.get(name), int)]

    def stream(self, values: Mapping[str, Value]) -> Fixture:
        """One stream, with a flush at the end where no clock ends it."""
        units = [length for value in values.values() if (length := _length(value))] or [_MINUTE]
        steps: list[Step] = []
        for _ in range(self.chance.randint(1, _MOST_STEPS)):
            if steps and self.restarts and self.chance.random() < 0.2:  # noqa: PLR2004  # now and then
                steps.append(Restart(crash=self.chance.random() < 0.5))  # noqa: PLR2004  # as often as not
            steps.append(Add({source: self._rows(source, units) for source in self.like.schemas}))
        drive = self.like.drive if self.like.drive.empty_batches else Drive("step")
        flush = [step for step in self.like.steps if isinstance(step, Flush)]
        return replace(self.like, drive=drive, steps=(*steps, *flush[:1]))

    def _rows(self, source: str, units: Sequence[int]) -> tuple[Row, ...]:
        rows = [self._row(source, units) for _ in range(self.chance.randint(0, _MOST_ROWS))]
        return tuple(rows + [dict(row) for row in rows[:1] if self.chance.random() < 0.2])  # noqa: PLR2004  # some come twice

    def _row(self, source: str, units: Sequence[int]) -> Row:
        return {name: self._cell(source, name, kind, units) for name, kind in self.like.schemas[source]}

    def _cell(self, source: str, name: str, kind: str, units: Sequence[int]) -> Value:
        if kind == "TIMESTAMP":
            at = self.start + sum(self.chance.randint(0, 2) * unit for unit in units)
            return at + self.chance.choice([0, 0, -_MS, _MS, _MINUTE, -_MINUTE, 61_001_000, 3 * _MINUTE])
        cell: Value = self.chance.choice(self.cells[source, name] or [0])
        if kind == "STRING" and isinstance(cell, str) and self.chance.random() < 0.2:  # noqa: PLR2004  # some are spelled otherwise
            cell = self.chance.choice(_SPELLINGS)(cell)
        return cell


def _length(value: Value) -> int | None:
    try:
        return oracle.duration(value) if isinstance(value, str) else None
    except ValueError:
        return None


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
