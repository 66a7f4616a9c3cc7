"""Name the mistake: the one whose predicted output, or whose failure, is what was observed."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.content.mistakes import Emits
from autograder.content.random_streams import streams_like
from autograder.content.wrong_programs import WrongProgram, both
from autograder.judge.compare import same_steps
from autograder.model import Fixture, Function, Mistake, Observation, StepOutput, Value

#: Random streams on which two programs must emit the same to be taken for one.
_STREAMS = 12
#: Pairs of mistakes that are tried for one function.
_MOST_PAIRS = 400


@dataclass(frozen=True)
class Case:
    """A function replayed on a fixture: what a right program emits, and what was observed."""

    fixture: Fixture
    parameters: Mapping[str, Value]
    expected: Sequence[StepOutput]
    observation: Observation


@dataclass(frozen=True)
class Diagnosis:
    """The mistake that explains what was observed: its id, and a sentence with the values of a call."""

    id: str
    sentence: Callable[[Mapping[str, Value]], str]


def failing_as(mistakes: Iterable[Mistake], cases: Sequence[Case]) -> Diagnosis | None:
    """The known mistake that runs into the failures of the most cases; of equals, the first in the list."""
    scored = [(sum(_fails_as(mistake, case) for case in cases), mistake) for mistake in mistakes]
    best = max((score for score, _ in scored), default=0)
    return next((_known(mistake) for score, mistake in scored if score == best > 0), None)


def _known(mistake: Mistake) -> Diagnosis:
    return Diagnosis(mistake.id, lambda _: mistake.says)


def _fails_as(mistake: Mistake, case: Case) -> bool:
    failure = case.observation.failure
    if failure is None or mistake.failure is None:
        return False
    kind, words = mistake.failure
    return failure.kind == kind and words.lower() in f"{failure.error} {failure.text}".lower()


def emitting_as(
    function: Function, authors: Sequence[WrongProgram], rules: Sequence[WrongProgram], cases: Sequence[Case]
) -> Diagnosis | None:
    """The mistake that explains all outputs of a function, right ones too; two at once where no single one does.

    Of the author's the first that explains all is named. Of those by rule none is named where several explain alike that are not the
    same on random streams, but what they are about, where that is one thing. Cases without an output are left out. Where all rows are
    right, state may still tell a mistake.
    """
    ended = [case for case in cases if case.observation.failure is None]
    for by_state in (False, True):
        search = _Search(function, ended, by_state=by_state)
        if search.failed:
            found = search.explaining(authors, most=1) or search.explaining(rules)
            return search.named(found or search.pairs(authors, rules))
    return None


def _about(what: str) -> Diagnosis:
    return Diagnosis(f"about_{re.sub('[^a-z0-9]+', '_', what.lower())}", lambda _: f"What is wrong is {what}.")


def _sizes(steps: Sequence[StepOutput]) -> list[int]:
    return [len(step.rows) for step in steps]


class _Search:
    """The cases of a function that came to their end, the quickest to try first."""

    def __init__(self, function: Function, cases: Iterable[Case], *, by_state: bool = False) -> None:
        self.function, self.by_state, self.by_size = function, by_state, False
        ordered = sorted(cases, key=lambda case: sum(len(step.rows) for step in case.expected))
        alike = [self.is_alike(case.expected, case) for case in ordered]
        self.failed = [case for case, is_right in zip(ordered, alike, strict=True) if not is_right]
        self.cases = [*self.failed, *(case for case, is_right in zip(ordered, alike, strict=True) if is_right)]
        # Which of several rows is the first depends on where each lies, so that a wrong program may choose another one.
        self.by_size = any(case.fixture.partitions == 1 for case in self.failed)

    def is_alike(self, output: Sequence[StepOutput], case: Case) -> bool:
        """Whether that is what was observed: the rows, and the rows in state where these are looked at."""
        observed = case.observation.steps
        if not any(step.also for step in output) and _sizes(output) != _sizes(observed):
            return False  # quick, where a submission has emitted very much
        if not same_steps(self.function, output, observed):
            return self.by_size and case.fixture.partitions > 1 and _sizes(output) == _sizes(observed)
        return not self.by_state or [step.state for step in output] == [step.state for step in observed]

    def explaining(self, wrongs: Iterable[WrongProgram], most: int | None = None) -> list[WrongProgram]:
        """Those that do on every case what was observed, and emit something on one that failed; at most so many."""
        return list(itertools.islice((wrong for wrong in wrongs if self.explains(wrong.emits)), most))

    def explains(self, emits: Emits) -> bool:
        """Whether a program does on every case what was observed. One that emits nothing explains nothing."""
        emitted = False
        for number, case in enumerate(self.cases):
            output = self.output(emits, case)
            if output is None or not self.is_alike(output, case):
                return False
            emitted = emitted or (number < len(self.failed) and any(step.rows for step in output))
        return emitted

    def output(self, emits: Emits, case: Case) -> Sequence[StepOutput] | None:
        """What a program emits on a case; None where it raises."""
        try:
            return emits(case.fixture, **{name: case.parameters[name] for name in self.function.parameters})
        except Exception:  # noqa: BLE001  # whatever a wrong program of the model raises on rows that it is not made for: it explains nothing
            return None

    def named(self, found: Sequence[WrongProgram]) -> Diagnosis | None:
        """The first, where all are the same on random streams; else what they are about, where that is one thing."""
        if not found:
            return None
        first = found[0]
        if all(self.is_same(first.emits, other.emits) for other in found[1:]):
            return Diagnosis(first.id, first.sentence)
        about = {wrong.about for wrong in found}
        return _about(about.pop()) if len(about) == 1 else None

    def is_same(self, one: Emits, other: Emits) -> bool:
        """Whether two emit the same on random streams, with the parameters of every case."""
        streams = streams_like([case.fixture for case in self.cases], random.Random(0))  # noqa: S311  # the same streams each time
        if streams is None:
            return False
        for case in itertools.islice(itertools.cycle(self.cases), _STREAMS):
            drawn = replace(case, fixture=streams.stream(case.parameters))
            first, second = self.output(one, drawn), self.output(other, drawn)
            if first is None or second is None or not same_steps(self.function, first, second):
                return False
        return True

    def pairs(self, authors: Sequence[WrongProgram], rules: Sequence[WrongProgram]) -> list[WrongProgram]:
        """Those that explain all cases together, and each a failed one alone. One of the author's goes before all by rule alone."""
        alone = [wrong for wrong in (*authors, *rules) if wrong.spoil and self.explains_one(wrong.emits)]
        tried = itertools.islice(filter(None, itertools.starmap(both, itertools.combinations(alone, 2))), _MOST_PAIRS)
        found = self.explaining(tried)
        ids = {wrong.id for wrong in authors}
        return [pair for pair in found if not ids.isdisjoint(pair.id.split("+"))][:1] or found

    def explains_one(self, emits: Emits) -> bool:
        """Whether a program does on a failed case what was observed, and emits something."""
        outputs = ((case, self.output(emits, case)) for case in self.failed)
        return any(output and self.is_alike(output, case) and any(step.rows for step in output) for case, output in outputs)
