"""Wrong programs and claims in many students' variants: what two variants have in common is tried once."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from autograder.authoring.claims import Claim, unshown_by, varied
from autograder.authoring.strength import Case, Survivor, cases, is_caught, missed, named_as_same, told_by
from autograder.content.files import read_text
from autograder.content.fixtures import draws
from autograder.content.mistakes import But
from autograder.content.wrong_programs import Example, WrongProgram, as_called, wrong_programs
from autograder.grading.answer_key import AnswerKey
from autograder.model import Expectation, Mistake, Value, Variant


@dataclass(frozen=True)
class Weakness:
    """A wrong program that gets full points in a variant. ``told`` says on what it is not right; empty where nothing was found."""

    survivor: Survivor
    variant: Variant
    told: str


@dataclass(frozen=True)
class Findings:
    """What is weak in at least one variant, each once, with the first such variant. ``trials``: how often a function was tried."""

    weak: tuple[Weakness, ...]
    claims: tuple[tuple[Claim, Variant], ...]
    trials: int


def findings(answer_key: AnswerKey, variants: Sequence[Variant], *, in_pairs: bool = False) -> Findings:
    """The wrong programs that no check catches, and the claims that the data do not show, in these variants.

    ``in_pairs``: wrong programs with two mistakes are tried too.
    """
    weak: dict[tuple[str, str], Weakness] = {}
    claims: dict[tuple[str, str], tuple[Claim, Variant]] = {}
    count = 0
    for name in answer_key.assignment.functions:
        trials = Trials(answer_key, name, in_pairs=in_pairs)
        for variant in variants:
            for found in trials.weak(variant):
                known = weak.get((name, found.survivor.wrong.id))
                if known is None or (found.told and not known.told):
                    weak[name, found.survivor.wrong.id] = found
            for claim in trials.unshown(variant):
                claims.setdefault((name, claim.id), (claim, variant))
        count += len(trials.known)
    return Findings(tuple(weak.values()), tuple(claims.values()), count)


@dataclass(frozen=True)
class _Trial:
    """What holds for a function and values, whatever the seeds are: wrong programs and claims that written rows leave open."""

    left: tuple[tuple[Survivor, str], ...]
    claims: tuple[Claim, ...]


class Trials:
    """The trials of one function: one for all variants in which the values that matter to it and to its fixtures are equal.

    Rows that are drawn differ from student to student. They are looked at only where rows that are written leave something open.
    """

    def __init__(self, answer_key: AnswerKey, name: str, *, in_pairs: bool = False) -> None:
        self.answer_key, self.name, self.in_pairs = answer_key, name, in_pairs
        self.function = answer_key.assignment.functions[name]
        used = {fixture for check in answer_key.assignment.checks if check.function == name for fixture in check.fixtures}
        paths = {fixture: answer_key.catalog.fixture(answer_key.assignment.slug, fixture) for fixture in used}
        self.drawn = {fixture for fixture, path in paths.items() if draws(path)}
        words = {word for path in paths.values() for word in re.findall(r"\w+", read_text(path))}
        self.varied = varied(self.function)
        # What the function does not take may stand in its fixtures. Where a name there means something else, that costs time alone.
        used_by_fixtures = words - {*self.function.parameters}
        self.matters = [each for each in answer_key.assignment.parameters if each in self.varied or each in used_by_fixtures]
        self.same = named_as_same(answer_key).get(name, {})
        self.known: dict[tuple[Value, ...], _Trial] = {}
        self.telling: dict[tuple[str, str], tuple[Survivor, str]] = {}

    def weak(self, variant: Variant) -> Iterator[Weakness]:
        """The wrong programs that no check catches in a variant."""
        left = self.trial(variant).left
        drawn = self.cases(variant, self.is_drawn) if self.drawn and any(told for _, told in left) else []
        for survivor, told in left:
            if not (told and any(is_caught(self.function, case, survivor.wrong.emits) for case in drawn)):
                yield Weakness(survivor, variant, told)

    def unshown(self, variant: Variant) -> Sequence[Claim]:
        """The claims that a variant's data do not show."""
        claims = self.trial(variant).claims
        return self.claims(variant, self.cases(variant)) if claims and self.drawn else claims

    def trial(self, variant: Variant) -> _Trial:
        """What holds for all variants with these values."""
        key = tuple(variant.parameters[name] for name in self.matters)
        if key not in self.known:
            written = self.cases(variant, lambda fixture: not self.is_drawn(fixture))
            claims = self.claims(variant, written) or self.claims(variant, self.cases(variant))
            self.known[key] = _Trial(tuple(self.left(variant, written)), claims)
        return self.known[key]

    def left(self, variant: Variant, written: Sequence[Case]) -> Iterator[tuple[Survivor, str]]:
        """The wrong programs that no written row tells, each with what does."""
        found, key = self.cases(variant), self.as_drawn(variant)
        wrongs = wrong_programs(key.assignment, key.expectation, self.function, Example(found[0].fixture, found[0].values))
        for wrong in missed(self.function, written, wrongs, in_pairs=self.in_pairs):
            if wrong.id not in self.same:
                yield self.told(wrong, found)

    def as_drawn(self, variant: Variant) -> AnswerKey:
        """With a mistake more for each parameter: what the student reads for it is written into the code."""
        right, expectation = self.answer_key.expectation.emits[self.name], self.answer_key.expectation
        parameters = self.answer_key.assignment.parameters
        own = {name: variant.parameters[name] for name in self.varied}
        mistakes = [
            Mistake(f"{name}_as_drawn", f"The value of {name} is written into the code: {value}.", But({name: value}, right))
            for name, value in own.items()
            if value != parameters[name].default
        ]
        more = {**expectation.mistakes, self.name: (*expectation.mistakes.get(self.name, ()), *mistakes)}
        return replace(self.answer_key, expectation=Expectation(expectation.emits, more, expectation.released))

    def told(self, wrong: WrongProgram, found: Sequence[Case]) -> tuple[Survivor, str]:
        """A wrong program with what tells it, sought once: what tells it in one variant would in another."""
        key = wrong.id, wrong.says
        if key not in self.telling:
            chance = random.Random(0)  # noqa: S311  # the same streams each time
            stream = told_by(self.answer_key, self.function, wrong.emits, found, chance)
            others = (case for case in (*found, *self.elsewhere) if is_caught(self.function, case, wrong.emits))
            told = "this stream tells it" if stream else next(map(_told_by, others), "")
            self.telling[key] = Survivor(self.name, wrong, stream), told
        return self.telling[key]

    @cached_property
    def elsewhere(self) -> list[Case]:
        """What other students' checks are judged by: every choice of every parameter is somewhere among it."""
        defaults = self.answer_key.assignment.defaults()
        choices = [(name, choice) for name in self.matters for choice in self.answer_key.assignment.parameters[name].choices]
        return [case for name, choice in choices for case in self.cases(Variant({**defaults, name: choice}))]

    def is_drawn(self, fixture: str) -> bool:
        """Whether a fixture's rows differ from student to student."""
        return fixture in self.drawn

    def claims(self, variant: Variant, found: Sequence[Case]) -> tuple[Claim, ...]:
        """The claims that some cases do not show."""
        return tuple(unshown_by(self.answer_key, self.name, found, variant.parameters))

    def cases(self, variant: Variant, which: Callable[[str], bool] = lambda _: True) -> list[Case]:
        """The function's cases on some of its fixtures."""
        checks = [replace(check, fixtures=tuple(filter(which, check.fixtures))) for check in self.answer_key.assignment.checks]
        assignment = replace(self.answer_key.assignment, checks=tuple(check for check in checks if check.fixtures))
        found = cases(replace(self.answer_key, assignment=assignment, seeds=variant.seeds), self.name, variant.parameters)
        return [_called(case) for case in found]


def _called(case: Case) -> Case:
    example = as_called(Example(case.fixture, case.values))
    return replace(case, fixture=example.fixture, values=example.values)


def _told_by(case: Case) -> str:
    return f"fixture {case.fixture.name} tells it, called with {values_text(case.values)}"


def values_text(values: Mapping[str, Value]) -> str:
    """Parameters for a person: ``window = 10, slide = 2``."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())
