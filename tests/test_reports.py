"""What students and programs read is golden: change it on purpose or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from autograder.engines.base import Observer
from autograder.grading.answer_key import AnswerKey
from autograder.grading.redaction import for_student
from autograder.model import CheckReport, Outcome, Report
from autograder.reports import json_report, junit, terminal
from tests.conftest import HERE, MIXED, grade_file

Golden = Callable[[str, str], None]
DOCS = HERE.parent / "docs"


@pytest.fixture(scope="module")
def report(engine: Observer, toy: AnswerKey, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A submission that is right in one part, wrong in another, and dies in a third."""
    path = tmp_path_factory.mktemp("golden") / "alice.py"
    path.write_text(MIXED)
    full = grade_file(engine, toy, path)
    return replace(full, kit="0", spark="0")


def test_trouble_with_the_whole_file_is_explained_once(grade: Callable[..., Report]) -> None:
    """What is wrong and what to try stand above all checks, once."""
    text = terminal.to_text(grade("def counts(:\n", ()))

    assert text.count("Python cannot read the file") == 1
    assert text.count("Try: ") == 1


def failed(number: int, message: str, line: int | None = 7, **more: object) -> CheckReport:
    """A check of a function of its own that failed by an error."""
    name = f"f{number}"
    return replace(
        CheckReport(name, f"says {number}", name, False, Outcome.ERROR, 0, 1, message.format(name), "a hint", line, kind="raised"), **more
    )


def text_of(*checks: CheckReport) -> str:
    """The report of these checks."""
    return terminal.to_text(Report(1, "0", "0", "s", "T", "x.py", "", {}, "student", "own machine", 0, len(checks), checks))


def test_a_slip_that_functions_share_is_told_once() -> None:
    """The first time whole, then by the name of the check that has told it: the same kind, line and text, at whatever step."""
    text = text_of(failed(1, "{} raises KeyError: 'a' (at step 1)"), failed(2, "{} raises KeyError: 'a' (at step 3)"))

    assert text.count("raises KeyError") == 1
    assert text.count("a hint") == 1
    assert "The same error as in “says 1”." in text


@pytest.mark.parametrize(
    "other",
    [
        failed(2, "{} raises KeyError: 'b'"),
        failed(2, "{} raises KeyError: 'a'", 8),
        failed(2, "{} raises KeyError: 'a'", cell="cell 2"),
        failed(2, "{} raises KeyError: 'a'", kind="raised_at_step"),
        failed(2, "{} raises KeyError: 'a'", diagnosis="something else"),
    ],
)
def test_another_error_is_told_whole(other: CheckReport) -> None:
    """Another text, line, cell, kind or diagnosis; and of an error without a line nobody knows whether it is the same."""
    assert "The same error" not in text_of(failed(1, "{} raises KeyError: 'a'"), other)
    assert "The same error" not in text_of(failed(1, "{} died", None), failed(2, "{} died", None))


def test_terminal(report: Report, golden: Golden) -> None:
    """The text a student reads: outcome, step list with an arrow, expected and came, one line to try."""
    golden("report.txt", terminal.to_text(for_student(report)))


def test_json(report: Report, golden: Golden) -> None:
    """The student's JSON is the documented one, and reads back to the same report."""
    text = json_report.to_json(for_student(report))

    golden("report.json", text)
    jsonschema.validate(json.loads(text), json.loads((DOCS / "report.schema.json").read_text()))
    assert json_report.to_json(json_report.from_json(text)) == text


def test_instructor_json(report: Report, golden: Golden) -> None:
    """The instructor's JSON has the hidden checks whole."""
    golden("instructor.json", json_report.to_json(report))


def test_junit(report: Report, golden: Golden) -> None:
    """The XML parses and counts what it holds."""
    text = junit.to_junit(for_student(report))

    golden("junit.xml", text)
    suite = ElementTree.fromstring(text)[0]
    assert suite.get("tests") == str(len(suite.findall("testcase")))
    assert int(suite.get("failures") or 0) == len(suite.findall("testcase/failure"))


def test_of_a_hidden_error_students_learn_that_there_was_one(grade: Callable[..., Report]) -> None:
    """Which error a submission raises on a hidden row could carry it out, as its text could."""
    report = grade(
        "from pyspark.sql import functions as F\n\n\ndef counts(views, least):\n"
        "    told = F.udf(lambda page: {'a': 'a', 'b': 'b', 'c': 'c'}[page])\n"
        "    return views.groupBy(told('page').alias('page')).agg(F.count('*').alias('views'))\n",
        ("counts_runs", "counts_right", "counts_hidden"),
    )

    hidden, student = report.checks[2], for_student(report).checks[2]
    assert "KeyError while rows were processed: 'zanzibar'" in hidden.message
    assert (student.outcome, student.kind) == (Outcome.ERROR, "error")
    assert student.message == "counts ended with an error."


def test_schema_is_the_models(request: pytest.FixtureRequest) -> None:
    """The schema in the docs is made from the model."""
    path = DOCS / "report.schema.json"
    text = json.dumps(json_report.schema(), indent=2) + "\n"
    if request.config.getoption("--update-goldens"):
        path.write_text(text)
    assert path.read_text() == text, "pytest --update-goldens writes it; raise the report's version if fields changed meaning"


@pytest.mark.parametrize("writer", [terminal.to_text, json_report.to_json, junit.to_junit])
def test_hidden_checks_tell_no_data(report: Report, writer: Callable[[Report], str]) -> None:
    """Nothing of a hidden fixture is in what a student gets; the check's name and outcome are."""
    text = writer(for_student(report))

    hidden = next(check for check in report.checks if check.hidden)
    assert hidden.outcome is Outcome.PASSED or hidden.evidence
    assert "zanzibar" not in text
    assert "secret" not in text
    assert hidden.says in text


def test_hidden_trouble_tells_no_data(engine: Observer, toy: AnswerKey, tmp_path: Path) -> None:
    """An exception that carries the hidden rows out reaches the instructor only."""
    path = tmp_path / "spy.py"
    path.write_text(
        "from pyspark.sql import functions as F\n@F.udf('string')\ndef spy(page):\n    if page == 'zanzibar':\n        raise ValueError(page)\n    return page\n"
        "def counts(views, least):\n    return views.groupBy(spy('page').alias('page')).agg(F.count('*').alias('views'))\n"
    )
    report = grade_file(engine, toy, path, ("counts_runs", "counts_hidden"))

    assert "zanzibar" in json_report.to_json(report)
    assert "zanzibar" not in json_report.to_json(for_student(report))


def test_control_characters_are_shown() -> None:
    """What a submission prints cannot move the reader's cursor or break the XML."""
    check = CheckReport("c", "says", "f", False, Outcome.FAILED, 0, 1, message="red \x1b[31m", printed="\x07\x1b]0;title\x07")
    report = Report(1, "0", "0", "s", "T", "x.py", "", {}, "student", "none", 0, 1, (check,))

    assert "\x1b" not in terminal.to_text(report)
    assert "\\x1b[31m" in terminal.to_text(report)
    ElementTree.fromstring(junit.to_junit(report))
