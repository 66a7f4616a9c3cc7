"""What is told beside an outcome: one hint that fits, and of a fault of ours no word of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.engines.base import Observed
from autograder.grading.answer_key import AnswerKey
from autograder.grading.redaction import for_student
from autograder.grading.waves import Grading
from autograder.integrations.notebook_check import Checked
from autograder.model import Failure, GraderFaultError, Observation, Outcome, Report, Request, StepOutput
from autograder.reports import folder, terminal
from autograder.submission.read import Submission

TRACEBACK = 'Traceback (most recent call last):\n  File "worker.py", line 7, in run\n    open(path)\nOSError: no disk\n'


class Canned:
    """Who answers every request with the same thing."""

    confined = True

    def __init__(self, answer: Observation | GraderFaultError) -> None:
        self.answer = answer

    def observe(self, requests: Sequence[Request]) -> Iterator[Observed]:
        """The answer as it is."""
        return iter([(request, self.answer) for request in requests])


def report(toy: AnswerKey, path: Path, answer: Observation | GraderFaultError, *checks: str) -> Report:
    """The report of a program whose replays all give this, on checks that need no other."""
    path = path / "toy.py"
    path.write_text("def counts(views, least): return views\n")
    chosen = [replace(check, needs=()) for check in toy.assignment.checks if check.id in checks]
    return Grading(toy, Submission.read(path), toy.assignment.defaults(), Canned(answer)).report(chosen)


def counted(toy: AnswerKey, *, totals: bool) -> tuple[StepOutput, ...]:
    """What a program emits that keeps totals, or that counts each trigger by itself."""
    check = next(check for check in toy.assignment.checks if check.id == "counts_right")
    (fixture,) = toy.fixtures(check, toy.assignment.defaults())
    if totals:
        return toy.expected(check, fixture, toy.assignment.defaults())
    emits = toy.expectation.mistakes["counts"][0].emits
    assert emits is not None
    return emits(fixture, least=1)


def test_a_known_mistake_is_told_without_the_checks_own_hint(toy: AnswerKey, tmp_path: Path) -> None:
    """The hint was written for everybody, and may say otherwise."""
    (check,) = report(toy, tmp_path, Observation(counted(toy, totals=False)), "counts_right").checks

    assert (check.outcome, check.mistake, check.hint) == (Outcome.FAILED, "no_state", "")
    assert "Try: " not in terminal.details(check)
    assert "It looks like this: Each trigger is counted by itself" in terminal.details(check)


def test_an_unknown_mistake_has_the_checks_hint(toy: AnswerKey, tmp_path: Path) -> None:
    """Where nothing better is known."""
    nothing = Observation((StepOutput(()),) * len(counted(toy, totals=True)))
    (check,) = report(toy, tmp_path, nothing, "counts_right").checks

    assert (check.mistake, check.hint) == ("", "What is the key?")


def test_a_known_failure_is_told_without_its_general_hint(toy: AnswerKey, tmp_path: Path) -> None:
    """A refused query may have nothing to do with the output mode."""
    refused = Observation(failure=Failure("refused", "A column `x` cannot be resolved.", 1, "AnalysisException"))
    (check,) = report(toy, tmp_path, refused, "counts_runs").checks

    assert (check.mistake, check.hint) == ("no_such_column", "")
    unknown = Observation(failure=Failure("refused", "Sorting is not supported.", 1, "AnalysisException"))
    assert report(toy, tmp_path, unknown, "counts_runs").checks[0].hint.startswith("Check the output mode")


def test_other_columns_have_a_hint_of_their_own(toy: AnswerKey, tmp_path: Path) -> None:
    """The names in the handout's order, not the check's hint about something else."""
    rows = Observation(counted(toy, totals=True), (("page", "STRING"), ("count", "BIGINT")))
    (check,) = report(toy, tmp_path, rows, "counts_runs").checks

    assert check.message.startswith("The result has other columns: missing: views; not asked for: count")
    assert check.hint == "Name the columns as the handout does: page, views."


@pytest.fixture
def undecided(toy: AnswerKey, tmp_path: Path) -> Report:
    """A report of a grader that failed, on a visible and on a hidden check."""
    return report(toy, tmp_path, GraderFaultError(TRACEBACK), "counts_runs", "counts_right", "counts_hidden")


def test_a_fault_is_told_whole_to_the_instructor_alone(undecided: Report, tmp_path: Path) -> None:
    """Its text stands in instructor.json and in no other file; nowhere are points told."""
    folder.write(undecided, tmp_path / "out")

    texts = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    assert {name for name, text in texts.items() if "Traceback" in text or "OSError" in text} == {"instructor.json"}
    assert "The grader failed, not your program." in texts["report.txt"]
    assert texts["report.txt"].splitlines()[-1] == (
        "No marks are decided: the grader failed on a check. Grade again, or tell your instructor."
    )
    assert "0 of 6 points" not in texts["report.txt"]
    assert "0/1" not in texts["report.txt"]


def test_on_the_instructors_terminal_a_fault_names_the_file_that_says_why(undecided: Report) -> None:
    """A traceback in a terminal would hide the other checks."""
    text = terminal.to_text(undecided)

    assert "Traceback" not in text
    assert text.splitlines()[-1] == "No marks are decided: the grader failed on a check; instructor.json says why. Grade again."


def test_a_fault_on_a_hidden_check_is_told_as_one(toy: AnswerKey, tmp_path: Path) -> None:
    """Without it a student would read an outcome and no reason."""
    whole = report(toy, tmp_path, GraderFaultError(TRACEBACK), "counts_hidden")
    (check,) = for_student(whole).checks

    assert "OSError: no disk" in whole.checks[0].message
    assert (check.outcome, check.message) == (Outcome.GRADER_ERROR, "The grader failed, not your program.")


def test_a_notebook_tells_no_points_of_an_undecided_check(undecided: Report) -> None:
    """Its table says so in the place of the sum."""
    page = Checked(for_student(undecided))._repr_html_()

    assert "nothing is decided" in page
    assert "of 6 points" not in page
    assert "Traceback" not in page
