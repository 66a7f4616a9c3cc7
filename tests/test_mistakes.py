"""Mistakes in one line each: what they change, that they are refused when they cannot work, and those that come by themselves."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring.answers import answers
from autograder.authoring.proof import rejected_header
from autograder.content import expected, released_answers
from autograder.content.catalog import Catalog
from autograder.content.expected import batches, plain, structured
from autograder.content.fixtures import read_fixture
from autograder.content.mistakes import But, bound, but, computed, swap, with_hard_coded
from autograder.content.wrong_programs import of_author
from autograder.grading.answer_key import AnswerKey
from autograder.judge.diagnose import Case, emitting_as
from autograder.model import Fixture, KitError, Mistake, Observation, StepOutput
from autograder.oracle import Each, Query

ROOT = Path(__file__).parent.parent
FIXTURES = ROOT / "fixtures"
ASK = read_fixture(ROOT / "templates/new/plain/fixtures/visible/inside.jsonl", {})
VALUES = {"window": "15 minutes", "delay": "10 minutes"}


def told(fixture: Fixture, *, window: object, delay: object, on: str = "at") -> tuple[StepOutput, ...]:
    """A program that tells what it was called with."""
    return plain([(window, delay, on)])


def result(emits: Any, **given: object) -> object:
    """What a program emits, bare."""
    (step,) = emits(ASK, **given)
    return step.rows[0]["result"]


def test_but_changes_parameters_and_keywords_of_its_own() -> None:
    assert result(but(told, delay="0 seconds", on="seen"), window=1, delay=2) == (1, "0 seconds", "seen")
    assert result(but(told, window=3, delay=4)) == (3, 4, "at")


def test_swap_exchanges_two_parameters() -> None:
    assert result(swap(told, "window", "delay"), window="1 hour", delay="5 minutes") == ("5 minutes", "1 hour", "at")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("delay", "10 minutes"),  # another parameter's value stays as it was written
        ("2 * delay", "1200000000 microseconds"),
        ("delay // 60", "10000000 microseconds"),
        ("delay + 1 ms", "600001000 microseconds"),
        ("delay - 1 hour", "0 microseconds"),
        ("n + 1", 4),
        ("n - 5", -2),
    ],
)
def test_computed(expression: str, value: object) -> None:
    assert computed(expression).of({"delay": "10 minutes", "n": 3, "word": "home"}) == value


@pytest.mark.parametrize(
    ("expression", "error"), [("2 * dealy", "'dealy' is no parameter that counts; there are: delay"), ("2 *", "cannot read the expression")]
)
def test_computed_from_what_is_no_parameter(expression: str, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        result(but(told, delay=computed(expression)), window=1, delay="10 minutes")


def test_a_list_binds_what_names_no_program() -> None:
    """A shared line means the program in whose list it stands; a named program stays."""
    shared = Mistake("swapped", "Swapped.", swap("window", "delay"))

    def other(fixture: Fixture, *, window: object, delay: object) -> tuple[StepOutput, ...]:
        return plain([("other", window, delay)])

    first = bound([shared], told)
    second = bound([shared, Mistake("named", "Named.", but(told, on="x")), Mistake("own", "Own.", told)], other)

    assert result(first[0].emits, window=1, delay=2) == (2, 1, "at")
    assert [result(each.emits, window=1, delay=2) for each in second] == [("other", 2, 1), (1, 2, "x"), (1, 2, "at")]


def test_a_keyword_that_the_program_does_not_have() -> None:
    with pytest.raises(ValueError, match=r"^told has no keyword 'dealy'; it has: window, delay, on$"):
        but(told, dealy="0 seconds")
    with pytest.raises(ValueError, match=r"^mistake 'no_delay': told has no keyword 'dealy'"):
        bound([Mistake("no_delay", "No delay.", but(dealy="0 seconds"))], told)


def test_a_program_that_takes_any_keyword() -> None:
    assert result(but(lambda fixture, **found: plain([found]), update="ok")) == {"update": "ok"}


def test_but_that_stands_in_no_list() -> None:
    with pytest.raises(
        KitError, match=r"^but\(delay=…\) does not know its program\.\nPut it into MISTAKES, or name it: but\(function, delay=…\)"
    ):
        but(delay="0 seconds")(ASK)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "def f(fixture): pass\nEMITS = {'f': f}\nMISTAKES = {'g': ()}",
            r"expected\.py:1: ValueError: MISTAKES has 'g', and EMITS does not: it has f\n",
        ),
        (
            "from autograder.content.mistakes import but\nfrom autograder.model import Mistake\n"
            "def f(fixture): pass\nEMITS = {'f': f}\nMISTAKES = {'f': (Mistake('m', 'M.', but(x=1)),)}",
            r"ValueError: mistake 'm': f has no keyword 'x'; it has: none\n",
        ),
        (
            "from autograder.content.mistakes import but\ndef f(fixture): pass\n\nbut(f, x=1)",
            r"expected\.py:4: ValueError: f has no keyword 'x'; it has: none\n",
        ),
    ],
)
def test_an_expectation_that_is_refused(tmp_path: Path, text: str, error: str) -> None:
    path = tmp_path / "expected.py"
    path.write_text(text)

    with pytest.raises(KitError, match=error):
        expected.load(path)


# mistakes that come by themselves


def toy() -> AnswerKey:
    return AnswerKey.load(Catalog(ROOT / "tests/kit"), "toy")


def test_hard_coded_defaults_come_last_by_themselves() -> None:
    mistakes = toy().expectation.mistakes

    assert [mistake.id for mistake in mistakes["counts"]] == ["no_state", "no_such_column", "least_hard_coded"]
    assert mistakes["counts"][-1].says == "The value of least is written into the code: 1."
    assert mistakes["words"] == mistakes["double"] == ()


def test_a_hard_coded_default_emits_what_the_default_does() -> None:
    key = toy()
    fixture = read_fixture(ROOT / "tests/kit/fixtures/toy/visible/three_steps.jsonl", {"least": 2})
    counts, hard_coded = key.expectation.emits["counts"], key.expectation.mistakes["counts"][-1].emits
    assert hard_coded is not None

    assert hard_coded(fixture, least=2) == counts(fixture, least=1) != counts(fixture, least=2)
    assert hard_coded(fixture, least=1) == counts(fixture, least=1)


def test_a_mistake_of_the_same_id_takes_its_place() -> None:
    key = toy()
    mine = Mistake("least_hard_coded", "My own words.", But({"least": 1}, key.expectation.emits["counts"]))
    written = replace(key.expectation, mistakes={"counts": (mine, key.expectation.mistakes["counts"][0])})

    assert [mistake.says for mistake in with_hard_coded(written, key.assignment).mistakes["counts"]] == [
        "My own words.",
        "Each trigger is counted by itself, without state.",
    ]


@pytest.mark.parametrize(("least", "named"), [(2, "least_hard_coded"), (1, None)])
def test_a_hard_coded_default_is_diagnosed_where_it_differs(least: int, named: str | None) -> None:
    """Where the default is right, a program with the default in it explains nothing."""
    key = toy()
    function, counts = key.assignment.functions["counts"], key.expectation.emits["counts"]
    fixture = read_fixture(ROOT / "tests/kit/fixtures/toy/visible/three_steps.jsonl", {"least": least})
    observed = Observation(counts(fixture, least=1))
    case = Case(fixture, {"least": least}, counts(fixture, least=least), observed)

    found = emitting_as(function, of_author(key.expectation, function), (), [case])

    assert (found.id if found else None) == named


def test_of_equals_the_authors_mistake_comes_first() -> None:
    key = toy()
    counts = key.expectation.emits["counts"]
    mine = Mistake("all_pages", "All pages are reported.", but(counts, least=1))
    expectation = with_hard_coded(replace(key.expectation, mistakes={"counts": (mine,)}), key.assignment)
    fixture = read_fixture(ROOT / "tests/kit/fixtures/toy/visible/three_steps.jsonl", {"least": 2})
    case = Case(fixture, {"least": 2}, counts(fixture, least=2), Observation(counts(fixture, least=1)))

    function = key.assignment.functions["counts"]
    found = emitting_as(function, of_author(expectation, function), (), [case])

    assert found is not None
    assert found.id == "all_pages"


def test_a_release_carries_hard_coded_defaults(tmp_path: Path) -> None:
    """A visible check that sets other values shows them; in a release they are told in the same words."""
    key = toy()
    checks = tuple(replace(check, parameters={"least": 2}) if check.id == "counts_right" else check for check in key.assignment.checks)
    key = replace(key, assignment=replace(key.assignment, checks=checks))
    path = tmp_path / "expected.json"
    path.write_text(answers(key, key.assignment.defaults()))

    released = released_answers.load(path, key.assignment.functions).mistakes["counts"]

    assert [mistake.id for mistake in released] == ["no_state", "no_such_column", "least_hard_coded"]
    assert released[-1].says == "The value of least is written into the code: 1."


def test_a_rejected_file_may_name_one() -> None:
    """Every file that names a hard-coded value names one that there is, by itself or by its author."""
    for slug in Catalog(ROOT).slugs():
        key = AnswerKey.load(Catalog(ROOT), slug)
        known = {mistake.id for found in key.expectation.mistakes.values() for mistake in found}
        headers = [rejected_header(path) for path in sorted((ROOT / "solutions" / slug / "rejected").glob("*hard_coded.py"))]

        assert headers
        assert [header for header in headers if header is None or header[1] not in known] == []


# fixtures of several sources


def two_sources(tmp_path: Path, drive: str) -> Fixture:
    path = tmp_path / "joined.jsonl"
    path.write_text(
        f'{{"fixture": 1, "says": "two", "drive": "{drive}", "sources": {{"ads": "STRING", "views": "STRING"}}}}\n'
        '{"add": {"ads": ["a"], "views": ["v"]}}\n'
    )
    return read_fixture(path, {})


def emitted(fixture: Fixture, source: str | None) -> list[list[Any]]:
    steps = structured(Query((Each(lambda row: [row]),), "append"), fixture, source)
    return [[value for row in step.rows for value in row.values()] for step in steps]


@pytest.mark.parametrize(("drive", "read"), [("step", emitted), ("batch", batches)])
def test_of_several_sources_one_is_named(tmp_path: Path, drive: str, read: Any) -> None:
    fixture = two_sources(tmp_path, drive)

    assert (read(fixture, "ads"), read(fixture, "views")) == ([["a"]], [["v"]])
    with pytest.raises(KitError, match=r"^Fixture 'joined' has 2 sources and expected\.py names none; it has: ads, views\.\nName one"):
        read(fixture, None)
    with pytest.raises(KitError, match=r"^Fixture 'joined' has no source 'clicks'; it has: ads, views\.\n"):
        read(fixture, "clicks")


# the example of CONTRIBUTING.md


def test_the_example_in_contributing_runs(tmp_path: Path) -> None:
    """It is a whole expected.py: on a fixture of the real assignment it emits what that one's does, and each mistake something else."""
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## expected.py\n")[1].split("\n## ")[0]
    block, *_ = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    path = tmp_path / "expected.py"
    path.write_text(block, encoding="utf-8")
    fixture = read_fixture(FIXTURES / "watermarks/visible/late_inside.jsonl", VALUES)

    example, real = expected.load(path), AnswerKey.load(Catalog(ROOT), "watermarks")
    right = example.emits["departures_per_window"](fixture, **VALUES)
    wrong = {mistake.id: mistake.emits(fixture, **VALUES) for mistake in example.mistakes["departures_per_window"] if mistake.emits}

    assert right == real.expectation.emits["departures_per_window"](fixture, **VALUES)
    assert list(wrong) == ["no_delay", "delay_doubled", "swapped", "carrier_forgotten"]
    assert [name for name, steps in wrong.items() if steps == right] == []
