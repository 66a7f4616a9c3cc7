"""A mistake that Spark refuses with some parameters emits nothing there, so it explains nothing there."""

from __future__ import annotations

import json

import pytest

from autograder.authoring.answers import answers
from autograder.content.catalog import Catalog
from autograder.content.wrong_programs import WrongProgram, of_author
from autograder.grading.answer_key import AnswerKey
from autograder.judge.diagnose import Case, emitting_as
from autograder.model import Observation
from tests.conftest import HERE


@pytest.fixture(scope="module")
def windows() -> AnswerKey:
    """Windows of event time. A slide of 5 minutes, written into the code, is longer than a window of 4."""
    return AnswerKey.load(Catalog(HERE.parent), "windowed_counts")


def test_it_is_not_diagnosed(windows: AnswerKey) -> None:
    """A wrong output is judged all the same, and a mistake that explains it is still named."""
    check = next(check for check in windows.assignment.checks if check.id == "tumbling")
    parameters = {**windows.assignment.defaults(), **check.parameters}
    fixture = windows.fixtures(check, parameters)[0]
    mistakes = {mistake.id: mistake for mistake in windows.expectation.mistakes["counts_in_event_time"]}
    function = windows.function(check)
    given = {name: parameters[name] for name in function.parameters}
    refused, known = mistakes["event_slide_hard_coded"], mistakes["offset_left_out"]
    assert refused.emits
    assert known.emits
    case = Case(fixture, parameters, windows.expected(check, fixture, parameters), Observation(known.emits(fixture, **given)))

    with pytest.raises(ValueError, match="cannot slide"):
        refused.emits(fixture, **given)
    wrongs = {wrong.id: wrong for wrong in of_author(windows.expectation, function)}

    def named(*ids: str) -> str | None:
        authors: list[WrongProgram] = [wrongs[each] for each in ids]
        found = emitting_as(function, authors, (), [case])
        return found.id if found else None

    assert named("event_slide_hard_coded") is None
    assert named("event_slide_hard_coded", "offset_left_out") == "offset_left_out"


def test_a_release_predicts_nothing_of_it(windows: AnswerKey) -> None:
    """A student whose parameters it does not fit gets a release all the same."""
    values = {**windows.assignment.defaults(), "event_window": "4 minutes", "event_slide": "4 minutes"}

    found = [each for each in json.loads(answers(windows, values))["answers"] if each["function"] == "counts_in_event_time"]

    assert found
    assert all("event_slide_hard_coded" not in each["mistakes"] for each in found)
