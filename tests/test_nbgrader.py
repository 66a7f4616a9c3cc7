"""nbgrader's own commands on a course of the kit's: marks come from the replay, whatever a notebook does to its kernel."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook
from traitlets.config import Config

from autograder.authoring.nbgrader_course import course_files
from autograder.authoring.notebooks import HIDDEN, VISIBLE, source_notebook
from autograder.authoring.proof import rejected_header
from autograder.cli.main import main
from autograder.content import variants
from autograder.content.catalog import Catalog, find_root
from autograder.content.files import read_text
from autograder.grading.answer_key import AnswerKey
from autograder.grading.waves import Grading
from autograder.integrations.nbgrader_plugin import Replay
from autograder.model import Assignment, GraderFaultError, KitError
from autograder.sandbox import bubblewrap
from tests.conftest import HERE

pytestmark = [pytest.mark.spark, pytest.mark.sandbox, pytest.mark.recorded]

COUNTS = "return views.groupBy('page').agg(F.count('*').alias('views')).where(F.col('views') >= least)"
#: What nbgrader is known to fall for: IPython's hooks, an error that is not shown, a result that claims points, its database.
HOOKS = """
import builtins, pathlib, sqlite3, sys
try:
    shell = get_ipython()
    shell.showtraceback = lambda *_, **__: None
    shell.input_transformers_post.append(lambda lines: ["9.0"])
    shell.ast_transformers.append(type("T", (), {"visit": lambda self, tree: compile("9.0", "", "exec", 1024)})())
except NameError:
    pass
for base in [pathlib.Path.cwd(), *pathlib.Path.cwd().parents, pathlib.Path("GRADEBOOK")]:
    for path in [base / "gradebook.db"]:
        if path.exists():
            sqlite3.connect(path).execute("update grade set auto_score = 99")
            raise SystemExit("GAINED")
sys.displayhook = lambda value: builtins.print(9.0)
"""
#: Points of the visible and hidden checks of each function, by student.
MARKS = {
    "ada": {"counts": (3, 3), "words": (2, 0), "double": (1, 0)},  # right
    "bo": {"counts": (3, 3), "words": (0, 0), "double": (1, 0)},  # one function wrong
    "cy": {"counts": (1, 3), "words": (2, 0), "double": (0, 0)},  # partly right, and a cell that Python cannot read
    "di": {"counts": (0, 0), "words": (2, 0), "double": (0, 0)},  # copied, retyped and deleted cells
    "eve": {"counts": (0, 0), "words": (0, 0), "double": (0, 0)},  # tricks, and nothing written
    "fay": {"counts": (0, 0), "words": (0, 0), "double": (0, 0)},  # the notebook as it was handed out
}
#: What of a real assignment `verify` must see rejected.
PLANTED = ("delay_in_seconds",)
MOST = {"counts": (3, 3), "words": (2, 0), "double": (1, 0)}


def nbgrader(course: Path, *arguments: str, root: Path = HERE / "kit") -> str:
    """Run a command of nbgrader's in a course; what it says."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {
        **os.environ,
        "PATH": path,
        "AUTOGRADER_ROOT": str(root),
        "JUPYTER_CONFIG_DIR": str(course),
        "PYTHONPATH": str(HERE.parent),
    }
    command = [sys.executable, "-m", "tests.with_records", "nbgrader", *arguments]
    done = subprocess.run(command, cwd=course, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def submit(course: Path, student: str, **sources: str) -> dict[str, Any]:
    """Hand in the released notebook with other sources of some cells, by their ids."""
    book: dict[str, Any] = json.loads((course / "release/toy/toy.ipynb").read_text())
    for cell in book["cells"]:
        cell["source"] = sources.get(cell["metadata"]["nbgrader"]["grade_id"], cell["source"])
    save(course, student, book)
    return book


def save(course: Path, student: str, book: dict[str, Any], slug: str = "toy") -> None:
    folder = course / "submitted" / student / slug
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{slug}.ipynb").write_text(json.dumps(book))


def begun(folder: Path, slug: str, root: Path) -> Path:
    """A new course, whose notebook is released."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOGRADER_ROOT", str(root))
        main(["nbgrader", "init", str(folder), slug], standalone_mode=False)
    if bubblewrap.obstacle():
        config = folder / "nbgrader_config.py"
        config.write_text(config.read_text().replace('"bubblewrap"', '"none"'))
    nbgrader(folder, "generate_assignment", slug, root=root)
    return folder


def marks(course: Path, slug: str, student: str) -> dict[str, float]:
    """What the gradebook has for every cell with points."""
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        return {grade.name: grade.auto_score for grade in gradebook.find_submission_notebook(slug, slug, student).grades}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of the toy, in which everybody's notebook is graded and has its feedback."""
    folder = begun(tmp_path_factory.mktemp("nbgrader") / "course", "toy", HERE / "kit")
    counts = f"def counts(views, least):\n    {COUNTS}"
    words = "def words(lines):\n    return lines.map(lambda line: (line, 1)).reduceByKey(lambda a, b: a + b)"
    double = "def double(number):\n    return 2 * number"
    submit(folder, "ada", counts=counts, words=words, double=f"import sys\nprint('WARN Spark', file=sys.stderr)\n{double}")
    submit(folder, "bo", counts=counts, words=words.replace("line, 1", "line, 2"), double=double)
    submit(folder, "cy", counts=counts.replace(">= least", ">= least + 1"), words=words, double=f"{double})")
    book = submit(folder, "di", words=words, double="def double(number):\n    return number")
    cells = {
        cell["metadata"]["nbgrader"]["grade_id"]: cell for cell in book["cells"] if cell["id"] not in {"words-visible", "counts-hidden"}
    }
    again = {**cells["double"], "id": "another", "source": "def double(number):\n    return -number"}
    cells["words"] = {name: cells["words"][name] for name in ("id", "metadata", "source")} | {"cell_type": "markdown"}
    save(folder, "di", {**book, "cells": [*cells.values(), again]})
    submit(folder, "eve", counts=HOOKS.replace("GRADEBOOK", str(folder)), double="raise SystemExit", **{"double-visible": "9.0"})
    submit(folder, "fay")
    nbgrader(folder, "autograde", "toy")
    nbgrader(folder, "generate_feedback", "toy")
    nbgrader(folder, "export")
    return folder


def test_the_gradebook_has_the_replays_marks(course: Path) -> None:
    """Full points for what is right, Spark's stderr notwithstanding; part of them where a part is; nothing for tricks."""
    found = {}
    for student in MARKS:
        grades = marks(course, "toy", student)
        found[student] = {name: (grades.get(f"{name}-visible", 0), grades.get(f"{name}-hidden", 0)) for name in MOST}

    assert found == MARKS


def test_planted_mistakes_get_their_part_of_the_points(tmp_path: Path) -> None:
    """A real assignment: the solution has full points; a rejected file loses the checks that it names, and those that need them."""
    catalog, slug = Catalog(find_root()), "watermarks"
    course = begun(tmp_path / "course", slug, catalog.root)
    book = json.loads((course / f"source/{slug}/{slug}.ipynb").read_text())
    answer = [cell for cell in book["cells"] if cell["metadata"]["nbgrader"]["solution"]][-1]
    solution = answer["source"]
    save(course, "right", book, slug)
    for student in PLANTED:
        answer["source"] = f"{solution}\n\n{read_text(catalog.solutions(slug) / f'rejected/{student}.py')}"
        save(course, student, book, slug)
    nbgrader(course, "autograde", slug, root=catalog.root)

    assert marks(course, slug, "right") == points(catalog.assignment(slug), set())
    for student in PLANTED:
        header = rejected_header(catalog.solutions(slug) / f"rejected/{student}.py")
        assert header
        assert marks(course, slug, student) == points(catalog.assignment(slug), header[0]), student


def points(assignment: Assignment, lost: set[str]) -> dict[str, float]:
    """The points of every cell when these checks are lost."""
    found: dict[str, float] = {}
    for check in assignment.checks:
        cell = f"{check.function}{HIDDEN if check.hidden else VISIBLE}"
        gained = check.points if not lost & {check.id, *check.needs} else 0
        found[cell] = found.get(cell, 0) + gained
    return found


def test_export_has_the_sums(course: Path) -> None:
    """Nbgrader's own table."""
    rows = list(csv.DictReader((course / "grades.csv").read_text().splitlines()))

    assert {row["student_id"]: float(row["score"]) for row in rows} == {
        student: sum(map(sum, marks.values())) for student, marks in MARKS.items()
    }
    assert {float(row["max_score"]) for row in rows} == {9.0}


def test_feedback_tells_nothing_hidden(course: Path) -> None:
    """Neither the hidden rows nor the hidden cell's text; of visible checks the table is there."""
    pages = {path.parent.parent.name: path.read_text() for path in course.glob("feedback/*/toy/toy.html")}
    books = "".join(path.read_text() for path in course.glob("autograded/*/toy/toy.ipynb"))

    assert set(pages) == set(MARKS)
    for text in (*pages.values(), books):
        assert "zanzibar" not in text
        assert "HIDDEN TESTS" not in text
    assert "words of a batch" in pages["bo"] or "<svg" in pages["bo"]


def test_what_is_handed_out_has_no_hidden_cell_and_no_solution(course: Path) -> None:
    """Nbgrader has cut both."""
    text = (course / "release/toy/toy.ipynb").read_text()

    assert "SOLUTION" not in text
    assert "HIDDEN TESTS" not in text
    assert "groupBy" not in text


def test_reports_lie_beside_the_course(course: Path) -> None:
    """With all that the gradebook does not keep."""
    report = json.loads((course / "reports/toy/bo/instructor.json").read_text())

    assert (report["student"], report["submission"], report["points"]) == ("bo", "toy", 7)
    assert "GAINED" not in (course / "reports/toy/eve/instructor.json").read_text()


@pytest.mark.usefixtures("with_records")
def test_a_fault_of_the_grader_decides_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, toy: AnswerKey) -> None:
    """Nbgrader then leaves the submission ungraded; a zero is never written."""

    def fails(*_: object, **__: object) -> None:
        raise GraderFaultError("no disk")

    monkeypatch.setenv("AUTOGRADER_ROOT", str(HERE / "kit"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Grading, "_judged", fails)
    book = nbformat.reads(source_notebook(toy.catalog, toy.assignment, "# A toy"), as_version=4)
    names = {"nbgrader": {"notebook": "toy", "student": "ada", "assignment": "toy"}}

    with pytest.raises(KitError, match=r"The grader failed on ada: .*no disk\nNo marks are decided"):
        Replay(config=Config({"Replay": {"sandbox": "none"}})).preprocess(book, names)
    assert not [cell for cell in book.cells if cell.get("outputs")]


def test_a_student_is_graded_with_their_own_variant(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, toy: AnswerKey) -> None:
    """With `c.Replay.variants`, as `grade --variants` does; the report carries the student."""
    (tmp_path / "course.key").write_text("0123456789abcdef")
    monkeypatch.setenv("AUTOGRADER_ROOT", str(HERE / "kit"))
    monkeypatch.setattr(Grading, "_replay", lambda *_: None)  # who it is and with what is known before anything is replayed
    config = Config({"Replay": {"sandbox": "none", "variants": True, "secret": str(tmp_path / "course.key")}})
    plugin, book = Replay(config=config), json.loads(source_notebook(toy.catalog, toy.assignment, "# A toy"))
    drawn = {name: variants.draw(b"0123456789abcdef", toy.assignment, name).parameters for name in ("ada", "bo", "cy", "di")}

    reports = {name: plugin.graded(book, "toy", name) for name in drawn}

    assert {name: report.parameters for name, report in reports.items()} == drawn
    assert {name: report.student for name, report in reports.items()} == {name: name for name in drawn}
    assert len({str(values) for values in drawn.values()}) > 1


def test_init_keeps_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run again it adds what is missing."""
    monkeypatch.setenv("AUTOGRADER_ROOT", str(HERE / "kit"))
    (tmp_path / "nbgrader_config.py").write_text("# mine\n")

    main(["nbgrader", "init", str(tmp_path)], standalone_mode=False)

    assert (tmp_path / "nbgrader_config.py").read_text() == "# mine\n"
    assert (tmp_path / "source/toy/toy.ipynb").is_file()
    with pytest.raises(KitError, match="There is no assignment called 'no_such'"):
        course_files(Catalog(HERE / "kit"), "c", ["no_such"])
