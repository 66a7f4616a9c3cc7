"""Variants: the same student gets the same for ever, nothing tells the secret, and every variant can be solved."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.cli.main import main
from autograder.content import variants
from autograder.content.catalog import Catalog, find_root
from autograder.grading.answer_key import AnswerKey
from autograder.model import Check, KitError, Variant
from autograder.submission.locate import student_of
from tests.conftest import HERE, SOAK, UNCONFINED

CATALOG = Catalog(find_root())
SECRET = b"a secret for the tests"
STUDENTS = 1000 if SOAK else 150  # a thousand in `make soak`


@pytest.fixture
def on_toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder, the toy kit, and a course's secret in a file."""
    monkeypatch.setenv("AUTOGRADER_ROOT", str(HERE / "kit"))
    monkeypatch.delenv(variants.SECRET, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "course.key").write_bytes(SECRET + b"\n")
    return tmp_path


def test_draws_never_change() -> None:
    """A student's draws are these for ever: what was handed out must still be what is graded in ten years."""
    drawn = variants.draw(SECRET, CATALOG.assignment("watermarks"), " ada\n")

    assert drawn == variants.draw(SECRET, CATALOG.assignment("watermarks"), "ada")
    assert drawn.parameters == {"window": "15 minutes", "delay": "10 minutes", "gap": "25 minutes"}
    assert drawn.seeds["drawn"] == 535001230


def test_id_secret_and_slug_all_count() -> None:
    """Another student, another secret or another assignment draws anew; an id is the same however its letters are composed."""
    toy = Catalog(HERE / "kit").assignment("toy")
    seeds = [
        variants.draw(SECRET, toy, "ada").seeds["three_steps"],
        variants.draw(SECRET, toy, "bo").seeds["three_steps"],
        variants.draw(SECRET + b"!", toy, "ada").seeds["three_steps"],
        variants.draw(SECRET, replace(toy, slug="other"), "ada").seeds["three_steps"],
    ]

    assert len(set(seeds)) == 4
    assert variants.draw(SECRET, toy, "Åsa") == variants.draw(SECRET, toy, "A\u030asa")


@pytest.mark.soak
@pytest.mark.parametrize("slug", CATALOG.slugs())
def test_every_variant_can_be_solved(slug: str) -> None:
    """Of many students' variants the oracle tells what a right program emits, at every check something."""
    answer_key = AnswerKey.load(CATALOG, slug)
    drawing = {path.stem for path in CATALOG.fixture_folder(slug).rglob("*.jsonl") if '{"draw' in path.read_text()}
    emits: dict[object, bool] = {}

    def rows(check: Check, variant: Variant) -> bool:
        drawn = replace(answer_key, seeds=variant.seeds)
        values = dict(variant.parameters)
        return any(step.rows for fixture in drawn.fixtures(check, values) for step in drawn.expected(check, fixture, values))

    for number in range(STUDENTS):
        variant = variants.draw(SECRET, answer_key.assignment, f"student-{number}")
        for check in answer_key.assignment.checks:
            key = (check.id, *variant.parameters.values(), *(variant.seeds[name] for name in check.fixtures if name in drawing))
            if key not in emits:
                emits[key] = rows(check, variant)
            assert emits[key], (number, check.id, variant.parameters)


def test_a_student_gets_handout_skeleton_and_values(on_toy: Path) -> None:
    """What is written has the student's values, not the secret; the seed of no hidden fixture; and overwrites nobody's work."""
    arguments = ["variant", "toy", "--student", "ada", "--out", "ada", "--secret", "course.key"]
    done, again = CliRunner().invoke(main, arguments), CliRunner().invoke(main, arguments)
    written = {path.name: path.read_text() for path in (on_toy / "ada").iterdir()}
    drawn = variants.draw(SECRET, Catalog(HERE / "kit").assignment("toy"), "ada")
    (least,) = drawn.parameters.values()

    assert done.exit_code == 0, done.output
    assert f"least = {least}" in done.output
    assert set(written) == {"README.md", "toy.ipynb", "toy.py", "variant.toml"}
    assert f"least = {least}\n" in written["variant.toml"]
    assert f"at least {least} views" in written["README.md"]
    hidden = {name for check in Catalog(HERE / "kit").assignment("toy").checks if check.hidden for name in check.fixtures}
    assert hidden
    assert not [name for name in hidden if str(drawn.seeds[name]) in written["variant.toml"] or name in written["variant.toml"]]
    assert SECRET.decode() not in done.output + "".join(written.values())
    assert again.exit_code == 2
    assert "toy.py is there already" in again.output


@pytest.mark.usefixtures("with_records")
def test_check_and_grade_use_the_same_variant(on_toy: Path) -> None:
    """`check` reads the values that lie beside the file, `grade --variants` draws them again from the folder's name."""
    CliRunner().invoke(main, ["variant", "toy", "--student", "ada", "--out", "ada", "--secret", "course.key"])
    (least,) = variants.draw(SECRET, Catalog(HERE / "kit").assignment("toy"), "ada").parameters.values()

    checked = CliRunner().invoke(main, ["check", "toy", "ada/toy.py"])
    graded = CliRunner().invoke(main, ["grade", "toy", "ada/toy.py", "--variants", "--secret", "course.key", *UNCONFINED])
    report = json.loads((on_toy / "graded/toy/ada/instructor.json").read_text())

    assert f"Graded with least = {least}" in checked.output
    assert graded.exit_code == 0, graded.output
    assert report["parameters"] == {"least": least}
    assert SECRET.decode() not in "".join(path.read_text() for path in (on_toy / "graded").rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("path", "student"),
    [
        ("a/ada.py", "ada"),
        ("ada/toy.py", "ada"),
        ("toy.py", "here"),
        ("handed in/Ada L.py", "Ada L"),
        ("x/toy.ipynb", "x"),
        ("ada_toy.py", "ada"),
        ("ada/assignments/toy/toy.py", "ada"),
    ],
)
def test_whose_a_file_is(path: str, student: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is named after its student, or lies in a folder that is."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    assert student_of(Path(path), "toy") == student


def test_the_secret_leaves_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that is started later finds it there."""
    monkeypatch.setenv(variants.SECRET, SECRET.decode())

    assert variants.course_secret(None) == SECRET
    assert variants.SECRET not in os.environ


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "There is no secret of the course."),
        ("guess me", "fewer than 16 bytes"),
    ],
)
def test_a_secret_that_can_be_guessed_is_refused(text: str, says: str, tmp_path: Path) -> None:
    """No secret, or a short one: said before anything is drawn."""
    (tmp_path / "key").write_text(text)
    with pytest.raises(KitError, match=says) as caught:
        variants.course_secret(tmp_path / "key")

    assert variants.SECRET in caught.value.hint
    assert text not in str(caught.value) or not text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("assignment = 7", r"variant.toml:1: assignment: Input should be a valid string"),
        ('assignment = "toy"\n[parameters]\nleast = 99', r"variant.toml:3: 99 is no choice for 'least'"),
        ('assignment = "toy"\n[parameters]\nmost = 1', r"variant.toml:3: toy has no parameter 'most'"),
        ('assignment = "toy"\n[seeds]\nthree_steps = -1', r"variant.toml:3: seeds.three_steps: "),
        ("assignment = ", r"variant.toml: not valid TOML: "),
        ('assignment = "toy"\nmore = 1', r"variant.toml:2: more: there is no field of this name"),
    ],
)
def test_a_damaged_variant_is_refused(text: str, says: str, tmp_path: Path) -> None:
    """With the file and the line."""
    (tmp_path / variants.FILE).write_text(text)

    with pytest.raises(KitError, match=says):
        variants.beside(tmp_path, Catalog(HERE / "kit").assignment("toy"))


def test_another_assignments_variant_does_not_count(tmp_path: Path) -> None:
    """A folder with the files of two assignments has the variant of one."""
    (tmp_path / variants.FILE).write_text('assignment = "other"\n')
    toy = Catalog(HERE / "kit").assignment("toy")

    assert variants.beside(tmp_path, toy) == Variant(toy.defaults())


def test_an_empty_id_is_refused(on_toy: Path) -> None:
    """Two lines, exit code 2."""
    done = CliRunner().invoke(main, ["variant", "toy", "--student", " ", "--secret", "course.key"])

    assert done.exit_code == 2
    assert "A student's id is empty." in done.output
