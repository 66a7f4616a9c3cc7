"""The mistake that is named explains everything that was observed; where nothing does, or too much, none is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from autograder.authoring import strength
from autograder.content.catalog import Catalog
from autograder.content.wrong_programs import Example, WrongProgram, by_rule, length, of_author
from autograder.grading.answer_key import AnswerKey
from autograder.judge.diagnose import Case, Diagnosis, emitting_as, failing_as
from autograder.model import Failure, Mistake, Observation, StepOutput, Value
from tests.conftest import HERE

CATALOG = Catalog(HERE.parent)


class Trial:
    """A function of an assignment, and what is said of wrong programs of the model that take its place."""

    def __init__(self, slug: str, name: str) -> None:
        self.key = AnswerKey.load(CATALOG, slug)
        self.function = self.key.assignment.functions[name]
        self.cases = strength.cases(self.key, name, self.key.assignment.defaults())
        example = Example(self.cases[0].fixture, self.cases[0].values)
        self.authors = of_author(self.key.expectation, self.function)
        unknown = replace(self.key.expectation, mistakes={})
        self.rules = by_rule(self.key.assignment, unknown, self.function, example)
        self.right = self.key.expectation.emits[name]

    def observed(self, emits: object, *, only: str = "") -> list[Case]:
        """What a program would have been seen to emit on every fixture, or on that one."""
        assert callable(emits)
        return [
            Case(case.fixture, case.values, case.expected, Observation(emits(case.fixture, **case.values)))
            for case in self.cases
            if only in {"", case.fixture.name}
        ]

    def named(self, cases: Sequence[Case], authors: Sequence[WrongProgram] = ()) -> Diagnosis | None:
        """What is said by rule, and by these mistakes of the author."""
        return emitting_as(self.function, authors, self.rules, cases)


@pytest.fixture(scope="module")
def windows() -> Trial:
    """Counts in windows with a watermark."""
    return Trial("watermarks", "departures_per_window")


def sentence(found: Diagnosis | None, values: Mapping[str, Value]) -> str:
    assert found is not None
    return found.sentence(values)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"delay": "10 seconds"}, "The watermark's delay is 10 seconds instead of 10 minutes."),
        ({"keep": lambda row: (row["flight"] or 0) % 2 == 0}, None),  # no rule makes this
        ({"keys": ()}, "All values of carrier are one group."),
        ({"on": "departed_at"}, "The event time is taken from departed_at."),
        ({"start": "1 minute"}, "The windows begin a minute late."),
    ],
)
def test_a_rule_names_the_mistake_with_values(windows: Trial, wrong: dict[str, object], says: str | None) -> None:
    """Where the default values are asked for; the delay is right elsewhere only if it is computed."""
    seconds = wrong == {"delay": "10 seconds"}

    def emits(fixture: object, **values: object) -> object:
        spoiled = {"delay": f"{length(values['delay']) // 60} microseconds"} if seconds else wrong  # type: ignore[arg-type, operator]
        return windows.right(fixture, **{**values, **spoiled})

    found = windows.named(windows.observed(emits))

    assert (found.sentence({"window": "15 minutes", "delay": "10 minutes"}) if found else None) == says


def test_what_was_right_must_be_explained_too(windows: Trial) -> None:
    """A program that is wrong on one fixture alone makes no mistake that would show on others."""
    cases = windows.observed(windows.right)
    wrong = next(rule for rule in windows.rules if rule.id == "delay_0")
    (seen,) = windows.observed(wrong.emits, only="late_inside")[:1]
    once = [seen if case.fixture.name == "late_inside" else case for case in cases]

    assert windows.named([seen]) is not None
    assert windows.named(once) is None


def test_two_mistakes_at_once() -> None:
    """Each shows by itself on a fixture, and only both explain all."""
    topic = Trial("kafka_setup", "create_topic")
    one, other = (next(wrong for wrong in topic.authors if wrong.id == name) for name in ("replication_not_compared", "made_anew"))
    assert one.spoil is not None

    found = topic.named(topic.observed(one.spoil(other.emits)), topic.authors)

    assert sentence(found, {}) == f"{one.says} And: {other.says}"


def test_of_several_that_explain_alike_none_is_claimed(windows: Trial) -> None:
    """On a stream without late rows every shorter delay does the same: what they are about is told, where that is one thing."""
    seen = windows.observed(next(rule for rule in windows.rules if rule.id == "delay_doubled").emits, only="closing")
    assert [step.rows for step in seen[0].expected] != [step.rows for step in seen[0].observation.steps]

    found = windows.named(seen)

    assert found is None or found.id.startswith("about_")


def test_no_output_explains_nothing(windows: Trial) -> None:
    """A program that emits nothing at all is no proof of any mistake under which nothing would come out."""
    silent = [
        replace(case, observation=Observation(tuple(_silent(step) for step in case.expected))) for case in windows.observed(windows.right)
    ]

    assert windows.named(silent, windows.authors) is None


def _silent(step: StepOutput) -> StepOutput:
    return StepOutput(tuple(replace(batch, rows=()) for batch in step.batches))


def test_the_authors_words_come_first(windows: Trial) -> None:
    """Where the author has a sentence for it, it is that one."""
    found = windows.named(windows.observed(next(wrong for wrong in windows.authors if wrong.id == "no_delay").emits), windows.authors)

    assert sentence(found, {}) == "The watermark does not wait: its delay is 0."


def test_state_tells_what_rows_do_not() -> None:
    """DropDuplicates for ever emits the right rows where nothing is late, and keeps too many."""
    unique = Trial("watermarks", "unique_departures")
    for_ever = next(wrong for wrong in unique.rules if wrong.id == "never_forgotten")
    seen = [
        case
        for case in unique.observed(for_ever.emits)
        if [step.rows for step in case.expected] == [s.rows for s in case.observation.steps]
    ]
    assert any(step.state != other.state for case in seen for step, other in zip(case.expected, case.observation.steps, strict=True))

    found = emitting_as(unique.function, unique.authors, unique.rules, seen)

    assert found is None or found.id in {"never_forgets", "about_when_a_row_is_forgotten"}


def test_dstream_operators_are_mutated() -> None:
    """What one operator is called with: an inverse that adds, a filter that is missing."""
    counts = Trial("windowed_counts", "counts_with_inverse")
    ids = {rule.id for rule in counts.rules}
    assert ids >= {"inverse_swapped", "no_filter", "slide_missing", "window_is_slide", "reduced_to_largest"}

    adds = next(rule for rule in counts.rules if rule.id == "inverse_adds")

    assert sentence(counts.named(counts.observed(adds.emits)), {}) == "The inverse adds what leaves."


def test_a_failure_is_named_by_its_words() -> None:
    """Of the most cases; the first in the list of equals."""
    mistakes = [Mistake("one", "One.", failure=("refused", "without watermark")), Mistake("two", "Two.", failure=("refused", "WATERMARK"))]
    windows = Trial("watermarks", "departures_per_window")
    refused = Observation(failure=Failure("refused", "Append output mode not supported without watermark"))
    cases = [replace(case, observation=refused) for case in windows.observed(windows.right)]

    assert sentence(failing_as(mistakes, cases), {}) == "One."
    assert failing_as(mistakes, windows.observed(windows.right)) is None


def test_a_mistake_that_raises_explains_nothing(windows: Trial) -> None:
    """Whatever it is: naming a mistake never ends a grading."""

    def raises(*_: object, **__: object) -> tuple[StepOutput, ...]:
        raise RecursionError

    broken = replace(windows.authors[0], emits=raises)
    seen = windows.observed(next(rule for rule in windows.rules if rule.id == "delay_0").emits)

    found = windows.named(seen, [broken])

    assert sentence(found, {}) == "The watermark does not wait: its delay is 0."
