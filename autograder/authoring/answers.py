"""Compute what a release needs to judge the visible checks: what is emitted there, and never how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from autograder.content import released_answers as precomputed
from autograder.content.released_answers import Answer, Answers, KnownMistake, Scalar
from autograder.grading.answer_key import AnswerKey
from autograder.judge.compare import same_steps
from autograder.model import Fixture, Function, KitError, Mistake, StepOutput, Value


def answers(answer_key: AnswerKey, values: Mapping[str, Value]) -> str:
    """The text of ``expected.json`` for these values of the parameters. Raises KitError for an output that JSON cannot hold."""
    try:
        found = {(answer.function, answer.fed, str(answer.parameters)): answer for answer in _answers(answer_key, values)}
        known = {name: _known(answer_key, name, list(found.values())) for name in sorted({answer.function for answer in found.values()})}
        return precomputed.to_json(Answers(parameters=_scalars(values), mistakes=known, answers=list(found.values())))
    except ValueError as error:
        raise KitError(
            f"{answer_key.catalog.expectation(answer_key.assignment.slug)}: {error}", "A release holds texts, numbers and lists."
        ) from error


def _answers(answer_key: AnswerKey, values: Mapping[str, Value]) -> Iterator[Answer]:
    for check in answer_key.assignment.checks:
        function = answer_key.function(check)
        call = {name: {**values, **check.parameters}[name] for name in function.parameters}
        for fixture in answer_key.fixtures(check, dict(values)) if not check.hidden else ():
            right = answer_key.expected(check, fixture, dict(values))
            wrong = dict(_wrong(answer_key, function, fixture, call, right))
            yield Answer(
                function=function.name,
                fixture=fixture.name,
                fed=precomputed.fingerprint(fixture),
                parameters=_scalars(call),
                emits=precomputed.steps(right),
                mistakes={name: precomputed.steps(outputs) for name, outputs in wrong.items()},
            )


def _wrong(
    answer_key: AnswerKey, function: Function, fixture: Fixture, call: Mapping[str, Value], right: tuple[StepOutput, ...]
) -> Iterator[tuple[str, tuple[StepOutput, ...]]]:
    """What mistakes emit where it is not right: the rest explains nothing there."""
    for mistake in answer_key.expectation.mistakes.get(function.name, ()):
        try:
            outputs = tuple(mistake.emits(fixture, **call)) if mistake.emits else right
        except ValueError:  # Spark refuses what it would do with these parameters, such as a slide longer than its window
            continue
        if not same_steps(function, right, outputs):
            yield mistake.id, outputs


def _known(answer_key: AnswerKey, function: str, found: list[Answer]) -> list[KnownMistake]:
    """The mistakes that a visible check may show; what only hidden ones show is nobody's business."""
    shown = {name for answer in found if answer.function == function for name in answer.mistakes}
    mistakes = answer_key.expectation.mistakes.get(function, ())
    return [_without_program(mistake) for mistake in mistakes if mistake.id in shown or mistake.failure]


def _without_program(mistake: Mistake) -> KnownMistake:
    return KnownMistake(id=mistake.id, says=mistake.says, failure=list(mistake.failure) if mistake.failure else None)


def _scalars(values: Mapping[str, Value]) -> dict[str, Scalar]:
    return {name: value for name, value in values.items() if isinstance(value, (bool, int, str))}
