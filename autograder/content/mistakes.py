"""Known mistakes in one line each: the right program of an ``expected.py``, but for one thing.

In the list of ``departures_per_window`` in ``MISTAKES``, ``but(delay="0 seconds")`` is that function with another delay.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, overload

from autograder.content.expressions import evaluate
from autograder.model import Assignment, Expectation, Fixture, KitError, Mistake, StepOutput, Value

#: A program of ``expected.py``: called with a fixture, and with the parameters by keyword.
Emits: TypeAlias = Callable[..., tuple[StepOutput, ...]]


@dataclass(frozen=True)
class Computed:
    """A value that depends on the parameters, so that it is known only when the program is called."""

    expression: str

    def of(self, given: Mapping[str, Value]) -> Value:
        """The value for these parameters. Raises ValueError when the expression names something else."""
        if self.expression in given:
            return given[self.expression]
        amount = evaluate(self.expression, given)
        names = re.findall(r"[a-z_]\w*", self.expression)
        return f"{max(0, amount)} microseconds" if any(isinstance(given.get(name), str) for name in names) else amount


@dataclass(frozen=True)
class But:
    """A program with other values for some keywords. Without a program: the one in whose list of mistakes it stands."""

    changes: Mapping[str, Any]
    program: Emits | None = None

    def __call__(self, fixture: Fixture, **given: Value) -> tuple[StepOutput, ...]:
        """What the changed program emits. Raises KitError while it has no program."""
        if self.program is None:
            changes = ", ".join(f"{name}=…" for name in self.changes)
            raise KitError(f"but({changes}) does not know its program.", f"Put it into MISTAKES, or name it: but(function, {changes}).")
        changed = {name: value.of(given) if isinstance(value, Computed) else value for name, value in self.changes.items()}
        return self.program(fixture, **{**given, **changed})


def computed(expression: str) -> Computed:
    """A value computed from the parameters, in the arithmetic of fixtures: ``computed("2 * delay")``, ``computed("slide")``.

    Where a duration takes part the result is a duration, and never below 0.
    """
    return Computed(expression)


def but(program: Emits | None = None, /, **changes: Any) -> But:
    """The right program with other values for these keywords: parameters, or keywords of its own.

    ``but(delay="0 seconds")`` changes the function in whose list it stands, ``but(other, delay="0 seconds")`` another one.
    Raises ValueError when that function has no such keyword.
    """
    if program is not None:
        _check_keywords(program, changes)
    return But(changes, program)


@overload
def swap(one: str, other: str, /) -> But: ...
@overload
def swap(program: Emits, one: str, other: str, /) -> But: ...
def swap(*arguments: Any) -> But:
    """The right program with two parameters exchanged: ``swap("window", "delay")``, or ``swap(function, "window", "delay")``."""
    *program, one, other = arguments
    return but(*program, **{one: computed(other), other: computed(one)})


def bound(mistakes: Iterable[Mistake], program: Emits) -> tuple[Mistake, ...]:
    """A function's list of mistakes, in which every ``but`` and ``swap`` without a program is about this one.

    Raises ValueError, naming the mistake, when the program has no keyword that is to be changed.
    """
    return tuple(_bound(mistake, program) for mistake in mistakes)


def _bound(mistake: Mistake, program: Emits) -> Mistake:
    change = mistake.emits
    if not isinstance(change, But) or change.program is not None:
        return mistake
    try:
        return replace(mistake, emits=but(program, **change.changes))
    except ValueError as error:
        raise ValueError(f"mistake {mistake.id!r}: {error}") from error


def _check_keywords(program: Emits, changes: Iterable[str]) -> None:
    _, *keywords = inspect.signature(program).parameters.values()
    names = [each.name for each in keywords if each.kind is not each.VAR_KEYWORD]
    unknown = [name for name in changes if name not in names]
    if unknown and len(names) == len(keywords):
        called = getattr(program, "__name__", "the program")
        raise ValueError(f"{called} has no keyword {unknown[0]!r}; it has: {', '.join(names) or 'none'}")


def with_hard_coded(expectation: Expectation, assignment: Assignment) -> Expectation:
    """The expectation with a mistake more for each function and parameter: its default is written into the code.

    These stand last, so that a mistake of the author's that explains as much is named first. One of the same id takes their place.
    """
    mistakes = {name: _with_hard_coded(expectation, assignment, name) for name in expectation.emits}
    return replace(expectation, mistakes={**expectation.mistakes, **mistakes})


def _with_hard_coded(expectation: Expectation, assignment: Assignment, name: str) -> tuple[Mistake, ...]:
    written = expectation.mistakes.get(name, ())
    ids = {mistake.id for mistake in written}
    return (*written, *(mistake for mistake in _hard_coded(expectation.emits[name], assignment, name) if mistake.id not in ids))


def _hard_coded(program: Emits, assignment: Assignment, name: str) -> Iterator[Mistake]:
    function = assignment.functions.get(name)
    for parameter in function.parameters if function else ():
        default = assignment.parameters[parameter].default
        says = f"The value of {parameter} is written into the code: {default}."
        yield Mistake(f"{parameter}_hard_coded", says, But({parameter: default}, program))
