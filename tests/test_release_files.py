"""A release is the same bytes each time, keeps off what is not its own, and refuses what is wrong."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder.authoring import packing, wheel
from autograder.authoring.release import release_files
from autograder.cli.main import main
from autograder.content import variants
from autograder.content.catalog import Catalog
from autograder.grading.answer_key import AnswerKey
from autograder.model import KitError, Variant
from tests.conftest import HERE, laid_out

ROOT = HERE.parent
CATALOG, TOY = Catalog(ROOT), Catalog(HERE / "kit")
SLUGS = CATALOG.slugs()


def test_other_values(tmp_path: Path) -> None:
    """A release for other values of the parameters has them as its defaults, in the handout and in its answers."""
    answer_key = laid_out(release_files(TOY, ["toy"], {"toy": Variant({"least": 2})}), tmp_path)
    loaded = AnswerKey.load(Catalog(answer_key), "toy")

    assert loaded.values(loaded.assignment.defaults(), {}) == {"least": 2}
    assert "at least 2 views" in (answer_key / "assignments/toy/README.md").read_text()
    with pytest.raises(KitError, match=r"This release of toy has no answers for these parameters.\nIt has them for least = 2."):
        loaded.values(loaded.assignment.defaults(), {"least": "1"})
    with pytest.raises(KitError, match=r"toy: least = 9 is no choice of a parameter"):
        release_files(TOY, ["toy"], {"toy": Variant({"least": 9})})


def test_two_releases_are_the_same_bytes(released: Path, tmp_path: Path) -> None:
    """Folder, zip, wheel and commit, also when the wheel is built again and the slugs come in another order."""
    wheel.wheel.cache_clear()
    again = tmp_path / "course"
    packing.release(CATALOG, [*reversed(SLUGS), SLUGS[0]], again, {}, zipped=True, repository=True)

    assert contents(again) == contents(released)
    assert again.with_name("course.zip").read_bytes() == released.with_name("course.zip").read_bytes()
    assert [head(folder) for folder in (released, again)] == [head(released)] * 2
    assert git(again, "status", "--short") == ""


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but git's own."""
    paths = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def head(folder: Path) -> str:
    """The commit's id."""
    return git(folder, "rev-parse", "HEAD")


def git(folder: Path, *arguments: str) -> str:
    """What git prints in a folder."""
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout


def test_a_release_over_an_earlier_one(kit: Path, tmp_path: Path) -> None:
    """What the earlier one wrote and this one does not is removed; what somebody else put there stays."""
    out = tmp_path / "course"
    packing.release(Catalog(kit), ["toy"], out, {}, zipped=False, repository=False)
    (out / "own.txt").write_text("mine")
    for folder in ("assignments", "solutions", "fixtures"):
        (kit / folder / "toy").rename(kit / folder / "second")
    packing.release(Catalog(kit), ["second"], out, {}, zipped=False, repository=False)

    assert {path.name for path in (out / "assignments").iterdir()} == {"second"}
    assert {path.name for path in (out / "fixtures").iterdir()} == {"second"}
    assert (out / "own.txt").read_text() == "mine"


def test_notebooks_come_along_and_stray_files_do_not(kit: Path) -> None:
    """Of an assignment's folder the notebooks are given out; a fixture that no visible check uses is not."""
    (kit / "assignments/toy/toy.ipynb").write_text("{}")
    (kit / "assignments/toy/notes.txt").write_text("for colleagues")
    shutil.copy(kit / "fixtures/toy/hidden/secret.jsonl", kit / "fixtures/toy/visible/draft.jsonl")

    files = release_files(Catalog(kit), ["toy"], {})

    assert {name for name in files if name.startswith(("assignments/", "fixtures/"))} == {
        *(f"assignments/toy/{name}" for name in ("README.md", "assignment.toml", "expected.json", "toy.ipynb", "toy.py")),
        *(f"fixtures/toy/visible/{name}.jsonl" for name in ("numbers", "three_batches", "three_steps")),
    }


def test_a_course_has_its_own_look(kit: Path) -> None:
    """A template in the content's own folder is used in place of the kit's; one that does not render names itself."""
    own = kit / "templates/release/README.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text("# Streams at Lund: {{ assignments[0].title }}\n")

    assert release_files(Catalog(kit), ["toy"], {})["README.md"] == b"# Streams at Lund: A toy\n"
    own.write_text("{{ course }}\n")
    with pytest.raises(KitError, match=r"README.md.j2:1: 'course' is undefined\nIt may use: assignments"):
        release_files(Catalog(kit), ["toy"], {})
    own.write_text("\n{% if %}\n")
    with pytest.raises(KitError, match=r"README.md.j2:2: Expected"):
        release_files(Catalog(kit), ["toy"], {})


def test_requirements_are_those_of_the_kit() -> None:
    """The run-time lock holds the very pins and hashes of the development lock, and no development tool.

    For which Pythons a pin is may differ: more packages need it there.
    """
    texts = (re.sub(r" ; [^\\\n]*", " ", (ROOT / f"requirements/{name}.lock").read_text()).strip() for name in ("run", "dev"))
    run_lock, dev_lock = ({re.sub(r"  +", " ", entry) for entry in re.split(r"\n(?=\S)", text)} for text in texts)

    assert run_lock < dev_lock
    assert not any(entry.startswith(("pytest", "mypy", "ruff", "hypothesis")) for entry in run_lock)


# bad input


def autograder(*arguments: str, root: Path = TOY.root) -> Result:
    """Run the command on some content."""
    return CliRunner(env={"AUTOGRADER_ROOT": str(root)}).invoke(main, [*arguments])


def assert_refused(result: Result, text: str) -> None:
    """Exit code 2 and two lines that begin with a text."""
    assert result.exit_code == 2, result.output
    assert re.match(f"autograder: {text}", result.output), result.output
    assert len(result.output.splitlines()) == 2


def test_release_by_command(tmp_path: Path) -> None:
    """The verb says what it made; a second time it writes over its own."""
    out = tmp_path / "course"

    done = [autograder("release", "toy", "--out", str(out), *options) for options in (["--zip"], [])]

    assert [result.exit_code for result in done] == [0, 0], done[0].output
    assert re.fullmatch(rf"{out}: \d+ files\n{out}.zip: the same, zipped\n", done[0].output)
    names = zipfile.ZipFile(f"{out}.zip").namelist()
    assert {f"course/{name}" for name in contents(out)} == set(names)


def test_release_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown slug, a folder that is somebody's, a repository, no git, a place that cannot be written, no checkout."""
    out, theirs = tmp_path / "course", tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "thesis.tex").write_text("all of it")

    assert_refused(autograder("release", "nothing", "--out", str(out)), "There is no assignment called 'nothing'.\nKnown assignments: toy.")
    assert_refused(autograder("release", "toy", "--out", str(theirs)), f"{theirs} is not empty, and no release made it.\nName a new folder")
    archive = tmp_path / "new.zip"
    archive.write_text("somebody's work")
    refused = autograder("release", "toy", "--out", str(tmp_path / "new"), "--zip")
    assert_refused(refused, f"{archive} is there, and no release made it.\nName another folder")
    assert archive.read_text() == "somebody's work"
    archive.unlink()
    (theirs / ".release.json").write_text('{"files": ["../course/own.txt"]}')
    assert_refused(autograder("release", "toy", "--out", str(theirs)), f"{theirs} is not empty")
    assert_refused(
        autograder("release", "toy", "--out", str(theirs / "thesis.tex/course")), f"{theirs}/thesis.tex/course cannot be written"
    )
    (out / ".git").mkdir(parents=True)
    (out / ".release.json").write_text('{"files": []}')
    assert_refused(autograder("release", "toy", "--out", str(out), "--git"), f"{out} already is a git repository.\nLeave --git out")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert_refused(autograder("release", "toy", "--out", str(tmp_path / "new"), "--git"), "git was not found on the PATH.\nInstall it")
    monkeypatch.setattr(wheel, "__file__", str(tmp_path / "site-packages/autograder/authoring/wheel.py"))
    assert_refused(autograder("release", "toy", "--out", str(tmp_path / "new")), "A release is made from a checkout of the kit")
    assert {path.name for path in tmp_path.iterdir()} == {"course", "theirs"}


def test_a_wheel_that_cannot_be_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last line of what went wrong, and what to do."""
    wheel.wheel.cache_clear()
    monkeypatch.setattr(wheel, "_BUILD", "import setuptools_that_is_not_there")

    with pytest.raises(KitError, match=r"wheel could not be built: ModuleNotFoundError.*\nSet the kit up again"):
        wheel.wheel()


ANSWERS = "assignments/toy/expected.json"


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('{"version"', '"version"', r".*expected.json: not valid JSON: .*\nTake the file from the release again."),
        ('"version": 1', '"version": 2', r".*expected.json: version: Input should be 1\n"),
        ('"says"', '"said"', r".*expected.json: mistakes.counts.1.says: this field is missing\n"),
        ('"emits": [', '"emits": [7, ', r".*expected.json: answers.1.emits.1: Input should be a valid list\n"),
        (
            '"fixture": "numbers", "fed": "',
            '"fixture": "numbers", "fed": "0',
            r".*has no answer for fixture 'numbers' as it stands here.\nTake",
        ),
        ('"function": "double"', '"function": "triple"', r".*has no answer for fixture 'numbers' as it stands here.\nTake"),
    ],
)
def test_damaged_answers(toy_release: Path, old: str, new: str, text: str) -> None:
    """What is damaged is told before anything is run."""
    path = toy_release / ANSWERS
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))

    assert_refused(autograder("check", "toy", str(toy_release / "assignments/toy/toy.py"), root=toy_release), text)


def test_what_a_release_has_no_answer_for(toy_release: Path) -> None:
    """Other values of the parameters, changed fixtures, and what needs the hidden checks."""
    file = str(toy_release / "assignments/toy/toy.py")
    fixture = toy_release / "fixtures/toy/visible/three_steps.jsonl"

    refused = autograder("check", "toy", file, "-p", "least=2", root=toy_release)
    assert_refused(refused, "This release of toy has no answers for these parameters.\nIt has them for least = 1.")
    for verb in (("grade", "toy", file), ("verify", "toy")):
        assert_refused(autograder(*verb, root=toy_release), "toy stands here as it was released, without hidden checks and solutions.")
    assert "counts_hidden" not in autograder("hint", "toy", root=toy_release).output
    fixture.write_text(fixture.read_text().replace('"c"', '"d"'))
    assert_refused(autograder("check", "toy", file, root=toy_release), ".*has no answer for fixture 'three_steps' as it stands here.\nTake")


def test_an_output_that_json_cannot_hold(kit: Path) -> None:
    """It is refused where the release is made, not found by students."""
    path = kit / "solutions/toy/expected.py"
    path.write_text(path.read_text().replace("2 * step.arguments[0]", "(2, 1)"))

    with pytest.raises(KitError, match=r"expected.py: JSON cannot hold .*\(2, 1\)"):
        release_files(Catalog(kit), ["toy"], {})


def test_a_students_release_has_the_answers_to_the_variant(tmp_path: Path) -> None:
    """With the drawn values and seeds, which lie beside the skeleton; for other seeds it has none."""
    drawn = variants.draw(b"a secret for the tests", CATALOG.assignment("kafka_setup"), "ada")
    root = laid_out(release_files(CATALOG, ["kafka_setup"], {"kafka_setup": drawn}), tmp_path)
    answer_key = AnswerKey.load(Catalog(root), "kafka_setup")

    own = variants.beside(root / "assignments/kafka_setup", answer_key.assignment)

    assert own.parameters == drawn.parameters
    assert replace(answer_key, seeds=own.seeds).values(own.parameters, {}) == drawn.parameters
    with pytest.raises(KitError, match="no answer"):
        answer_key.values(own.parameters, {})
