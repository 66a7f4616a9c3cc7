"""Results for other systems: each format by its consumer's rules, and the verb that writes them."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from click.testing import CliRunner

from autograder.cli.main import main
from autograder.cli.results import _FORMATS, _SYSTEMS
from autograder.integrations import ci
from autograder.integrations.export import FORMATS, export
from autograder.model import KitError, Outcome, Report
from autograder.reports import classroom50, github, gradebook_csv, gradescope, json_report, junit, markdown
from tests.consumers import CLASSROOM50, DECIDED, RUNNER, SECRET, UNDECIDED, Classroom, Gradescope, announced, nasty_report, saved

WRITERS: dict[str, Callable[[Report], str]] = {
    "gradescope": lambda report: gradescope.to_gradescope([report]),
    "github": lambda report: github.to_result([report]),
    "markdown": lambda report: markdown.to_markdown([report]),
    "csv": lambda report: gradebook_csv.to_csv([report]),
    "classroom50": lambda report: classroom50.to_classroom50(report, RUNNER),
    "junit": junit.to_junit,
}


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_hidden_checks_tell_no_data(writer: Callable[[Report], str]) -> None:
    """Of a hidden check a student gets the name, the outcome and the points, in every format."""
    text = writer(DECIDED)

    assert SECRET in json_report.to_json(nasty_report())
    assert SECRET not in text
    assert "nobody looks" in text or writer is WRITERS["csv"]


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_same_report_same_bytes_and_no_control_characters(writer: Callable[[Report], str]) -> None:
    """Nothing of the clock or the machine is in a result, and nothing that moves a reader's cursor."""
    assert writer(DECIDED) == writer(DECIDED)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]|\\u00[01]|\\r", writer(DECIDED))


def test_gradescope_has_what_its_specification_asks_for() -> None:
    """Every test is visible plain text with a score, in the report's order; the total is their sum."""
    found = Gradescope.model_validate_json(gradescope.to_gradescope([DECIDED, DECIDED]))

    assert found.tests is not None
    assert found.score == round(2 * DECIDED.points, 2) == round(sum(test.score for test in found.tests), 2)
    assert {found.output_format, found.test_output_format, found.test_name_format} == {"text"}
    assert found.visibility == "visible"
    assert [test.number for test in found.tests][-2:] == [f"2.{len(DECIDED.checks) - 1}", f"2.{len(DECIDED.checks)}"]
    assert [test.status for test in found.tests][: len(DECIDED.checks)].count("passed") == 1


def test_gradescope_gets_no_score_when_nothing_is_decided() -> None:
    """Neither a score nor tests: a zero could come of either."""
    found = json.loads(gradescope.to_gradescope([DECIDED, UNDECIDED]))

    Gradescope.model_validate(found)
    assert set(found) == {"output", "output_format", "stdout_visibility"}
    assert "the grader failed, not your program" in found["output"]


def test_github_classroom_announces_the_points() -> None:
    """The reporter's sums are the report's; right is pass, wrong is fail, and base64 carries it as one line."""
    line = github.to_output([DECIDED])
    right = replace(DECIDED, checks=DECIDED.checks[:1], points=2, max_points=2)

    assert re.fullmatch(r"result=[A-Za-z0-9+/=]+\n", line)
    found = json.loads(base64.b64decode(line.removeprefix("result=")))
    Classroom.model_validate(found)
    assert found["status"] == "fail"
    assert announced([found]) == (DECIDED.points, DECIDED.max_points)
    assert json.loads(github.to_result([right]))["status"] == "pass"


def test_github_classroom_announces_nothing_when_nothing_is_decided() -> None:
    """Status error fails the job, and without a max_score the reporter is silent about points."""
    found = json.loads(github.to_result([UNDECIDED]))

    Classroom.model_validate(found)
    assert found["status"] == "error"
    assert {"error", "fail", "pass"} == {test["status"] for test in found["tests"]}
    assert announced([found]) is None


def test_classroom50_keeps_its_schema() -> None:
    """Whole points, none above its maximum, identity from the runner, and the submission's own time."""
    found = json.loads(classroom50.to_classroom50(DECIDED, RUNNER))

    jsonschema.validate(found, CLASSROOM50)
    assert (found["owner"], found["datetime"], found["review"]) == ("alice", "2026-06-01T14:32:05Z", "git/compare/1")
    assert found["score"] == sum(test["score"] for test in found["tests"]) == 3
    assert found["max-score"] == sum(test["max-score"] for test in found["tests"]) == DECIDED.max_points
    assert next(test["points"] for test in found["tests"] if test["test-name"] == "partly right") == "1.33"


def test_classroom50_knows_no_time_but_the_submissions() -> None:
    """Where the tag has none it is left out, and the runner stamps it; a missing review link is the commit's."""
    found = json.loads(classroom50.to_classroom50(DECIDED, {**RUNNER, "SUBMISSION_TAG": "submit/phase1", "REVIEW_URL": ""}))

    assert "datetime" not in found
    assert found["review"] == RUNNER["COMMIT_URL"]


def test_classroom50_needs_to_know_whose_result_it_is() -> None:
    """A missing variable is said by name."""
    with pytest.raises(KitError, match="CLASSROOM is not set"):
        classroom50.to_classroom50(DECIDED, {**RUNNER, "CLASSROOM": ""})


def test_csv_is_nbgraders_table() -> None:
    """The columns of nbgrader, sorted; an undecided report has no score; a name is no formula."""
    text = gradebook_csv.to_csv(
        [replace(UNDECIDED, student="bob"), replace(DECIDED, student="=cmd|x"), replace(DECIDED, student="a, b", slug="another")]
    )

    rows = list(csv.DictReader(io.StringIO(text)))
    assert text.splitlines()[0] == (
        "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,late_submission_penalty,score,max_score"
    )
    assert [(row["assignment"], row["student_id"], row["score"]) for row in rows] == [
        ("another", "a, b", "3.33"), ("toy", "'=cmd|x", "3.33"), ("toy", "bob", ""),
    ]  # fmt: skip
    assert rows[2]["raw_score"] == ""
    assert float(rows[0]["max_score"]) == DECIDED.max_points


def test_markdown_takes_nothing_for_markup() -> None:
    """In cells HTML, pipes and backticks are entities; what a program printed stands in a fence longer than any of its own."""
    text = markdown.to_markdown([DECIDED])
    table = [line for line in text.splitlines() if line.startswith("|")]
    fences = re.findall(r"(?ms)^(`{3,})text\n(.*?)\n\1$", text)

    assert {line.count("|") for line in table} == {5}
    assert "&lt;script&gt;" in text
    outside = re.sub(r"(?ms)^(`{3,})text\n.*?\n\1$", "", text)
    assert "<script>" not in outside
    assert "`" not in outside
    assert fences
    assert all(fence not in inside for fence, inside in fences)


def test_markdown_says_when_nothing_is_decided() -> None:
    """A fault of ours is no number of points."""
    text = markdown.to_markdown([UNDECIDED])

    assert "nothing is decided" in text.splitlines()[0]
    assert re.search(r"GRADER_ERROR \| –/2 \|", text)


def test_markdown_stays_below_githubs_limit() -> None:
    """What GitHub would show nothing of is cut to its tables."""
    text = markdown.to_markdown([DECIDED] * 600)

    assert "<details>" not in text
    assert text.count("### ") == 600


def test_junit_is_the_reports() -> None:
    """GitLab's report parses and counts failures, errors and skipped checks."""
    suite = ElementTree.fromstring(junit.to_junit(UNDECIDED))[0]

    assert [suite.get(name) for name in ("failures", "errors", "skipped")] == ["8", "2", "1"]


@pytest.mark.parametrize("name", FORMATS)
def test_export_writes_every_format_of_an_instructors_report(tmp_path: Path, name: str) -> None:
    """The verb tells students no more than they may see, writes where it is told to, and exits with 3 when nothing is decided."""
    decided = saved(tmp_path, nasty_report([Outcome.PASSED]), "instructor.json")
    undecided = saved(tmp_path, nasty_report(), "undecided.json")
    runner = CliRunner(env=RUNNER)

    good = runner.invoke(main, ["export", name, str(decided), "--out", str(tmp_path / "out/result")])
    bad = runner.invoke(main, ["export", name, str(undecided)])

    assert (good.exit_code, bad.exit_code) == (0, 3), good.output + bad.output
    assert SECRET not in (tmp_path / "out/result").read_text()
    assert SECRET not in bad.output
    assert (tmp_path / "out/result").read_text() == runner.invoke(main, ["export", name, str(decided)]).stdout
    if name == "classroom50":
        assert bad.stdout == ""


def test_csv_knows_whose_reports_they_are(tmp_path: Path) -> None:
    """A report says it; neither its file's name nor its folder does."""
    for name in ("alice", "bob"):
        saved(tmp_path, replace(DECIDED, student=name), "toy", f"{name}'s folder", "report.json")

    text = export("csv", [tmp_path], {}).text

    assert text is not None
    assert [row["student_id"] for row in csv.DictReader(io.StringIO(text))] == ["alice", "bob"]


@pytest.mark.parametrize("name", ["gradescope", "github"])
def test_one_students_format_refuses_a_class(tmp_path: Path, name: str) -> None:
    """The points of nine students are nobody's; two assignments of one student are one result."""
    for number in range(9):
        saved(tmp_path, replace(DECIDED, student=f"student{number}"), "class", str(number), "report.json")
    for slug in ("toy", "other"):
        saved(tmp_path, replace(DECIDED, slug=slug), "alice", slug, "report.json")

    with pytest.raises(KitError, match=rf"The format {name} takes the reports of one student, here are 9: student0, student1, student2 …"):
        export(name, [tmp_path / "class"], {})
    assert export(name, [tmp_path / "alice"], {}).text


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (["csv", "empty"], "There is no report.json in empty.\nName the folder"),
        (["csv", "binary"], "binary cannot be read: "),
        (["github", "text"], "text is no report: the file: Invalid JSON"),
        (["github", "other"], "other is no report: version: Input should be 1"),
        (["junit", "one", "one"], "The format junit takes one report, here are 2.\nName one report.json."),
        (["csv", "one", "one"], "There are two reports of alice for toy.\nLeave the older one out."),
        (["csv", "nothing"], "does not exist"),
    ],
)
def test_what_is_no_report_is_refused_in_two_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], lines: str
) -> None:
    """Exit code 2, what is wrong, and what to do."""
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("binary").write_bytes(b"\xff\xfe")
    Path("text").write_text("points: 3")
    Path("other").write_text(json.dumps({**json.loads(json_report.to_json(DECIDED)), "version": 9}))
    saved(tmp_path, DECIDED, "one")

    done = CliRunner().invoke(main, ["export", *arguments])

    assert done.exit_code == 2
    assert lines in done.stderr
    assert not done.stdout


def test_the_verbs_know_all_formats_and_systems() -> None:
    """The command line names them without importing what writes them."""
    assert (_FORMATS, _SYSTEMS) == (FORMATS, ci.SYSTEMS)
