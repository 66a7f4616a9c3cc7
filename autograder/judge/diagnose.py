"""Name the mistake: the one whose predicted output, or whose failure, is what was observed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autograder.judge.compare import same_steps
from autograder.model import Fixture, Function, Mistake, Observation, StepOutput, Value


@dataclass(frozen=True)
class Case:
    """A fixture on which a check failed."""

    fixture: Fixture
    parameters: Mapping[str, Value]
    expected: Sequence[StepOutput]
    observation: Observation


def diagnose(function: Function, mistakes: Iterable[Mistake], cases: Sequence[Case]) -> Mistake | None:
    """The mistake that explains the most of a check's failed fixtures; of equals, the first in the list."""
    scored = [(sum(explains(function, mistake, case) for case in cases), mistake) for mistake in mistakes]
    best = max((score for score, _ in scored), default=0)
    return next((mistake for score, mistake in scored if score == best > 0), None)


def explains(function: Function, mistake: Mistake, case: Case) -> bool:
    """Whether a program that makes this mistake would have done exactly what was observed."""
    failure = case.observation.failure
    if failure is not None:
        kind, words = mistake.failure or ("", "")
        return bool(mistake.failure) and failure.kind == kind and words.lower() in f"{failure.error} {failure.text}".lower()
    if mistake.emits is None:
        return False
    try:
        predicted = mistake.emits(case.fixture, **{name: case.parameters[name] for name in function.parameters})
    except ValueError:  # Spark refuses what it would do with these parameters, such as a slide longer than its window
        return False
    return same_steps(function, predicted, case.observation.steps) and not same_steps(function, case.expected, predicted)
