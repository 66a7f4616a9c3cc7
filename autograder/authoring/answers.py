"""Compute what a release needs to judge the visible checks: what is emitted there, and never how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from autograder import precomputed
from autograder.grading import Course
from autograder.judge.compare import same_steps
from autograder.model import Fixture, Function, KitError, Mistake, StepOutput, Value
from autograder.precomputed import Answer, Answers, KnownMistake, Scalar


def answers(course: Course, values: Mapping[str, Value]) -> str:
    """The text of ``expected.json`` for these values of the parameters. Raises KitError for an output that JSON cannot hold."""
    try:
        found = {(answer.function, answer.fed, str(answer.parameters)): answer for answer in _answers(course, values)}
        known = {name: _known(course, name, list(found.values())) for name in sorted({answer.function for answer in found.values()})}
        return precomputed.to_json(Answers(parameters=_scalars(values), mistakes=known, answers=list(found.values())))
    except ValueError as error:
        raise KitError(
            f"{course.catalog.expectation(course.assignment.slug)}: {error}", "A release holds texts, numbers and lists."
        ) from error


def _answers(course: Course, values: Mapping[str, Value]) -> Iterator[Answer]:
    for check in course.assignment.checks:
        function = course.function(check)
        call = {name: {**values, **check.parameters}[name] for name in function.parameters}
        for fixture in course.fixtures(check, dict(values)) if not check.hidden else ():
            right = course.expected(check, fixture, dict(values))
            wrong = dict(_wrong(course, function, fixture, call, right))
            yield Answer(
                function=function.name,
                fixture=fixture.name,
                fed=precomputed.fingerprint(fixture),
                parameters=_scalars(call),
                emits=precomputed.steps(right),
                mistakes={name: precomputed.steps(outputs) for name, outputs in wrong.items()},
            )


def _wrong(
    course: Course, function: Function, fixture: Fixture, call: Mapping[str, Value], right: tuple[StepOutput, ...]
) -> Iterator[tuple[str, tuple[StepOutput, ...]]]:
    """What mistakes emit where it is not right: the rest explains nothing there."""
    for mistake in course.expectation.mistakes.get(function.name, ()):
        outputs = tuple(mistake.emits(fixture, **call)) if mistake.emits else right
        if not same_steps(function, right, outputs):
            yield mistake.id, outputs


def _known(course: Course, function: str, found: list[Answer]) -> list[KnownMistake]:
    """The mistakes that a visible check may show; what only hidden ones show is nobody's business."""
    shown = {name for answer in found if answer.function == function for name in answer.mistakes}
    mistakes = course.expectation.mistakes.get(function, ())
    return [_without_program(mistake) for mistake in mistakes if mistake.id in shown or mistake.trouble]


def _without_program(mistake: Mistake) -> KnownMistake:
    return KnownMistake(id=mistake.id, says=mistake.says, trouble=list(mistake.trouble) if mistake.trouble else None)


def _scalars(values: Mapping[str, Value]) -> dict[str, Scalar]:
    return {name: value for name, value in values.items() if isinstance(value, (bool, int, str))}
