"""One assignment with all that is needed to judge it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from autograder.content import expected, released_answers
from autograder.content.catalog import Catalog, parameters_for
from autograder.content.fixtures import read_fixture
from autograder.content.mistakes import with_hard_coded
from autograder.model import Assignment, Check, Expectation, Fixture, Function, KitError, StepOutput, Value


@dataclass(frozen=True)
class AnswerKey:
    """An assignment with all that is needed to judge it. ``seeds`` are a variant's, by fixture."""

    catalog: Catalog
    assignment: Assignment
    expectation: Expectation
    seeds: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def load(cls, catalog: Catalog, slug: str) -> AnswerKey:
        """Read manifest and expectation (in a release, its answers). Raises KitError when one is refused."""
        assignment, path, answers = catalog.assignment(slug), catalog.expectation(slug), catalog.answers(slug)
        if answers.is_file() and not path.is_file():
            return cls(catalog, assignment, released_answers.load(answers, assignment.functions))
        return cls(catalog, assignment, with_hard_coded(expected.load(path), assignment))

    def values(self, parameters: Mapping[str, Value], given: Mapping[str, str]) -> dict[str, Value]:
        """The parameters to grade with: these, but what was given instead.

        Raises KitError for what does not fit, and in a release for what it has no answers for.
        """
        values, released = parameters_for(self.assignment, parameters, given), self.expectation.released
        if released is None:
            return values
        if values != released:
            has = ", ".join(f"{name} = {value}" for name, value in released.items())
            raise KitError(f"This release of {self.assignment.slug} has no answers for these parameters.", f"It has them for {has}.")
        for check in self.assignment.checks:
            for fixture in self.fixtures(check, values):
                self.expected(check, fixture, values)
        return values

    def function(self, check: Check) -> Function:
        """The function that a check is about."""
        return self.assignment.functions[check.function]

    def fixtures(self, check: Check, parameters: dict[str, Value]) -> tuple[Fixture, ...]:
        """The fixtures of a check, filled in."""
        values = {**parameters, **check.parameters}
        slug = self.assignment.slug
        return tuple(read_fixture(self.catalog.fixture(slug, name), values, self.seeds.get(name, 0)) for name in check.fixtures)

    def expected(self, check: Check, fixture: Fixture, parameters: dict[str, Value]) -> tuple[StepOutput, ...]:
        """What a right program emits."""
        values = {**parameters, **check.parameters}
        function = self.function(check)
        return tuple(self.expectation.emits[check.function](fixture, **{name: values[name] for name in function.parameters}))

    def complete(self) -> AnswerKey:
        """This very key. Raises KitError for what was released to students: marks without the hidden checks would be wrong."""
        if self.expectation.released is None:
            return self
        raise KitError(
            f"{self.assignment.slug} stands here as it was released, without hidden checks and solutions.",
            "Here `check` and `hint` work; grade in the kit that made the release.",
        )
