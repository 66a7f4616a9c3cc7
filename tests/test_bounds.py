"""What is judged and shown of an observation is bounded, whatever the untrusted side says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.content.files import write_text
from autograder.grading.answer_key import AnswerKey
from autograder.judge import evidence
from autograder.judge.bounds import is_too_large
from autograder.model import Batch, CheckReport, Difference, Evidence, Observation, Outcome, Report, StepOutput
from autograder.oracle import kafka
from autograder.reports import terminal


def observed(rows: int, columns: tuple[tuple[str, str], ...] = (("page", "string"),)) -> Observation:
    """Rows in two batches of a step."""
    batch = Batch(tuple({"page": str(number)} for number in range(rows // 2)))
    return Observation((StepOutput((batch, batch)),), columns)


@pytest.mark.parametrize(
    ("found", "too_large"),
    [
        (observed(20_000), False),
        (observed(20_002), True),
        (observed(2, (("x" * 300, "string"),)), False),
        (observed(2, (("x" * 301, "string"),)), True),
        (observed(2, (("x", "string"),) * 200), False),
        (observed(2, (("x", "string"),) * 201), True),
    ],
)
def test_what_is_judged_is_bounded(found: Observation, too_large: bool) -> None:
    """Rows of all batches together, columns, and their names."""
    assert is_too_large(found) is too_large


def shown(toy: AnswerKey, rows: int, cell: object) -> Evidence:
    """Evidence of so many rows that were not expected."""
    check = next(check for check in toy.assignment.checks if check.id == "counts_right")
    (fixture,) = toy.fixtures(check, {"least": 1})
    found = tuple({"page": cell, "views": number} for number in range(rows))
    return evidence.of_difference(toy.function(check), fixture, Difference(0, "rows", (), found, (), found))


def test_a_report_carries_some_rows_of_many(toy: AnswerKey) -> None:
    """The first and the last, and says how many lie between; of a long row its ends."""
    found = shown(toy, 20_000, "x" * 3_000)

    assert (len(found.got), len(found.unexpected)) == (501, 501)
    assert "… 19500 more …" in found.got
    assert max(map(len, found.got)) < 2000
    assert any("more characters" in row for row in found.got)


@given(text=st.text(st.characters(codec="utf-8"), max_size=30))
def test_a_cell_makes_no_line_of_the_report(toy: AnswerKey, text: str) -> None:
    """Whatever a cell holds, the report has the lines that it has with another one, and nothing that turns or hides text."""
    lines, plain = ([line.text for line in terminal.lines(reported(shown(toy, 3, cell)))] for cell in (text, "x"))

    assert len(lines) == len(plain)
    assert all(len(line.splitlines()) <= 1 for line in lines)
    assert not set("".join(lines)) & set("\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\x1b\r")


def reported(found: Evidence) -> Report:
    """A report of one failed check with this evidence."""
    check = CheckReport("c", "says", "f", False, Outcome.FAILED, 0, 1, message="m", evidence=(found,))
    return Report(1, "0", "0", "s", "T", "x.py", "", {}, "student", "none", 0, 1, (check,))


@given(number=st.integers())
def test_every_instant_can_be_told(number: int) -> None:
    """Also one that no calendar has: of a row, and of a record."""
    assert evidence.row_text({"at": number}, {"at": "TIMESTAMP"})
    assert kafka.time_facts([kafka.Record(None, b"1", number)], now=0)


def test_half_a_letter_in_a_record_is_told(tmp_path: Path) -> None:
    """JSON may carry half of a surrogate pair, which no file can: it stopped the run for all students after."""
    (found,) = kafka.value_facts([kafka.Record(None, b'{"a": "\\ud800"}', 0)])

    assert found["is"] == '{"a": "\\ud800"}'
    write_text(tmp_path / "report.txt", "half \ud800")
    assert (tmp_path / "report.txt").read_text() == "half \\ud800"
