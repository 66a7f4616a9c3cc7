"""Where nothing can be written, the command says so with the path and what to do. Below a file, for tests may run as root."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.authoring.generated import build
from autograder.cli.main import main
from autograder.content.catalog import Catalog
from autograder.content.files import make_folder, write_bytes
from autograder.model import KitError
from autograder.reports.folder import write
from tests.consumers import DECIDED, saved

FIX = "Name a folder that you may write to.\n"


def refused(*arguments: str) -> str:
    """What a verb says in two lines when it refuses."""
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2, done.output
    assert len(done.stderr.splitlines()) == 2, done.stderr
    return done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("variant", "toy", "--student", "ada", "--out", "PLACE/ada"),
        ("ci", "github", "--out", "PLACE/there"),
        ("ci", "gradescope", "--out", "PLACE/there"),
        ("nbgrader", "init", "PLACE/course", "toy"),
        ("export", "csv", "REPORT", "--out", "PLACE/marks/grades.csv"),
    ],
    ids=lambda arguments: "-".join(arguments[:2]),
)
def test_a_place_that_cannot_be_made_is_named(
    root: Path, tmp_path: Path, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No traceback, and what stands in the way stays as it is."""
    monkeypatch.setenv("AUTOGRADER_SECRET", "0123456789abcdef0123456789abcdef")
    (root / "thesis.txt").write_text("mine")
    report = saved(tmp_path, DECIDED, "alice", "report.json")

    said = refused(*(part.replace("PLACE", str(root / "thesis.txt")).replace("REPORT", str(report)) for part in arguments))

    assert f"{root}/thesis.txt/" in said
    assert f"cannot be written: Not a directory\n{FIX}" in said
    assert (root / "thesis.txt").read_text() == "mine"


def test_a_report_needs_a_folder(tmp_path: Path) -> None:
    """The reports' folder is made, or named when it cannot be."""
    (tmp_path / "graded").write_text("")

    with pytest.raises(KitError, match=r"graded/toy: cannot be written: Not a directory"):
        write(DECIDED, tmp_path / "graded" / "toy")


def test_a_folder_in_the_place_of_a_file_is_named(tmp_path: Path) -> None:
    """Nothing else is left behind."""
    (tmp_path / "README.md").mkdir()

    with pytest.raises(KitError, match=r"README.md: cannot be written: Is a directory"):
        write_bytes(tmp_path / "README.md", b"text")
    assert list(tmp_path.iterdir()) == [tmp_path / "README.md"]


def test_a_file_in_the_place_of_a_folder_is_named(tmp_path: Path) -> None:
    """It is not replaced."""
    (tmp_path / "out").write_text("mine")

    with pytest.raises(KitError, match=r"out: cannot be written: File exists"):
        make_folder(tmp_path / "out")


def test_build_refuses_a_folder_in_the_place_of_a_file(root: Path) -> None:
    """The handout cannot take its place."""
    handout = root / "assignments/toy/README.md"
    handout.unlink(missing_ok=True)
    handout.mkdir()

    assert f"{handout}: cannot be written: Is a directory\n{FIX}" in refused("build", "toy")


def test_build_finds_a_file_stale_that_is_no_text(root: Path) -> None:
    """Bytes are compared: what is not UTF-8 differs, and is written anew."""
    handout = root / "assignments/toy/README.md"
    handout.write_bytes(b"\xff\xfe")
    done = CliRunner().invoke(main, ["build", "--check", "toy"])

    assert done.exit_code == 1, done.output
    assert f"stale {handout}" in done.output
    assert handout in build(Catalog(root), ["toy"], write=True)
    assert handout not in build(Catalog(root), ["toy"], write=False)
