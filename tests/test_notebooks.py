"""Notebooks: what is handed out is valid and stable, what is handed in counts whatever has become of its cells."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.nbgraderformat import MetadataValidator

from autograder.authoring.notebooks import source_notebook
from autograder.content.catalog import Catalog, find_root
from autograder.engines.base import Observer
from autograder.grading.answer_key import AnswerKey
from autograder.grading.waves import Grading
from autograder.integrations import notebook_check
from autograder.model import KitError, Outcome, Place, Report
from autograder.submission import notebook
from autograder.submission.locate import file_in
from autograder.submission.read import Submission
from tests import conftest
from tests.conftest import HERE
from tests.test_cli import RIGHT

CATALOG = Catalog(find_root())
WRONG_DOUBLE = "def double(number):\n    return number + 1\n"


def read(text: str, *functions: str) -> notebook.Program:
    """The program of a notebook's JSON."""
    return notebook.read(text.encode(), set(functions))


def code(source: str, **metadata: Any) -> dict[str, Any]:
    """A code cell that a student has added."""
    return {"cell_type": "code", "source": source, "metadata": metadata, "outputs": [], "execution_count": None}


@pytest.mark.parametrize("slug", CATALOG.slugs())
def test_what_is_handed_out_is_valid(slug: str) -> None:
    """For Jupyter and for nbgrader; its ids are stable; its points are the assignment's; nothing of the solution is in it."""
    assignment, text = CATALOG.assignment(slug), CATALOG.notebook(slug).read_text()
    book = nbformat.reads(text, as_version=4)
    marks = [cell["metadata"]["nbgrader"] for cell in book.cells]

    nbformat.validate(book)
    MetadataValidator().validate_nb(book)
    assert (book.nbformat, book.nbformat_minor) == (4, 5)
    assert [cell["id"] for cell in book.cells] == [each["grade_id"].replace("_", "-") for each in marks]
    assert sum(each.get("points", 0) for each in marks) == assignment.max_points
    assert [each["grade_id"] for each in marks if each["grade_id"] in assignment.functions] == list(assignment.functions)
    assert "SOLUTION" not in text


def test_the_solution_in_its_notebook_gets_full_points(engine: Observer, toy: AnswerKey, tmp_path: Path) -> None:
    """The source notebook, which has the solution in its cells, is a submission like the module that it was made from."""
    path = tmp_path / "toy.ipynb"
    path.write_text(source_notebook(toy.catalog, toy.assignment, "# A toy"))

    submission = Submission.read(path, toy.assignment.functions.keys())
    report = Grading(toy, submission, toy.assignment.defaults(), engine).report(toy.assignment.checks)

    assert [(check.id, check.message) for check in report.checks if check.outcome is not Outcome.PASSED] == []


@pytest.mark.parametrize("slug", CATALOG.slugs())
def test_a_planted_mistake_is_the_same_program_in_a_notebook(slug: str) -> None:
    """So it has the marks that `verify` gives it as a module."""
    solution, functions = CATALOG.solution(slug).read_text(), CATALOG.assignment(slug).functions.keys()
    for path in CATALOG.solutions(slug).glob("*ed/*.py"):
        found = notebook.read(conftest.notebook(solution, path.read_text()).encode(), functions)

        assert (found.failure, found.broken) == (None, None), path
        assert ast.dump(ast.parse(found.text)) == ast.dump(ast.parse(f"{solution}\n{path.read_text()}")), path


def test_of_a_module_and_a_notebook_the_one_that_was_worked_in_counts(tmp_path: Path, toy: AnswerKey) -> None:
    """Students get both. Where both are worked in nobody guesses."""
    skeleton, empty = toy.catalog.skeleton("toy").read_text(), conftest.notebook("def double(number):\n    raise NotImplementedError\n")
    folder = tmp_path / "assignments" / "toy"
    folder.mkdir(parents=True)
    module, book = folder / "toy.py", folder / "toy.ipynb"

    assert file_in(tmp_path, toy.assignment) == tmp_path / "toy.py"
    module.write_text(skeleton)
    book.write_text(empty)
    assert file_in(tmp_path, toy.assignment) == file_in(folder, toy.assignment) == module
    book.write_text(conftest.notebook(RIGHT))
    assert file_in(folder, toy.assignment) == book
    module.write_text("def double(:\n")
    with pytest.raises(KitError, match=r"toy\.py and toy\.ipynb are both worked in\.\nName the one that counts"):
        file_in(folder, toy.assignment)
    book.write_text(empty)
    assert file_in(folder, toy.assignment) == module


def test_a_cell_that_python_cannot_read_costs_its_own_function_only(engine: Observer, toy: AnswerKey, tmp_path: Path) -> None:
    """It is told at the cell and the line; the other cells count."""
    path = tmp_path / "toy.ipynb"
    path.write_text(conftest.notebook(*RIGHT.split("\n\n\n")[:-1], "\ndef double(number):\n    return 2 * number)\n"))

    report = Grading(toy, Submission.read(path), {"least": 1}, engine).report(toy.assignment.checks)
    found = {check.id: check for check in report.checks}

    assert [check.id for check in report.checks if check.outcome is not Outcome.PASSED] == ["double_right"]
    assert (found["double_right"].cell, found["double_right"].line) == ("answer_3", 3)
    assert "unmatched ')'" in found["double_right"].message


def test_an_error_is_told_at_its_cell(engine: Observer, toy: AnswerKey, tmp_path: Path) -> None:
    """Not at a line of a module that the student has never seen."""
    path = tmp_path / "toy.ipynb"
    path.write_text(conftest.notebook("import math", "\n\ndef double(number):\n    return math.no_such_thing(number)\n"))
    checks = [check for check in toy.assignment.checks if check.id == "double_right"]

    (found,) = Grading(toy, Submission.read(path), {"least": 1}, engine).report(checks).checks

    assert (found.outcome, found.cell, found.line) == (Outcome.ERROR, "answer_1", 4)


def test_added_cells_count_as_far_as_they_define_something() -> None:
    """A function, an import, a constant; but neither a query that is started there nor what a student tried."""
    others = [
        code("import math\nLIMIT = 3\nprint(LIMIT)\n\n\ndef helper(x):\n    return x\n\n\nhelper(1)"),
        code("query = stream.writeStream.start()"),
        code("this is not Python"),
        {"cell_type": "markdown", "source": "def prose(): pass", "metadata": {}},
    ]
    found = read(conftest.notebook("def double(number):\n    return helper(number)", others=others))

    assert found.text == "def double(number):\n    return helper(number)\nimport math\nLIMIT = 3\ndef helper(x):\n    return x\n"
    assert found.places[2:4] == (Place("number 2", 1), Place("number 2", 2))


def test_a_notebook_without_marks_is_read_too() -> None:
    """Tools take metadata away: the cell that defines what is asked for is taken whole."""
    cells = [code("import sys\nsys.path"), code("FACTOR = int('2')\n\ndef double(number):\n    return FACTOR * number")]
    found = read(json.dumps({"cells": cells}), "double")

    assert found.text == "import sys\nFACTOR = int('2')\n\ndef double(number):\n    return FACTOR * number\n"


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("def f():\n    !ls\n    return 1", "def f():\n    pass\n    return 1"),
        ("%%time\nx = 1", "\nx = 1"),
        ("%%bash\nls", ""),
        ("f?\nx = 1", "pass\nx = 1"),
        ('text = """\n%d of %d\n"""', 'text = """\n%d of %d\n"""'),
        ("x = 1\r\ny = 2\r", "x = 1\ny = 2\n"),
    ],
)
def test_commands_of_ipython_are_left_out(source: str, kept: str) -> None:
    """Where they stand alone; what is Python already is not touched, and lines keep their numbers."""
    found = read(conftest.notebook("y = 1", source))

    assert found.text == f"y = 1\n{kept}\n"


def test_copied_and_retyped_cells_are_survived() -> None:
    """Of an answer that was copied the last one counts, as when a notebook is run; one that is Markdown now is read as code."""
    book = json.loads(conftest.notebook("x = 1", "def double(number): return 2"))
    book["cells"][1]["cell_type"] = "markdown"
    again = {**book["cells"][0], "source": ["x = 2\n", "y = 3"]}
    prose = {**book["cells"][1], "source": "What I *think*"}

    found = notebook.read(json.dumps({"cells": [*book["cells"], again, prose]}).encode(), set())

    assert found.text == "x = 1\ndef double(number): return 2\nx = 2\ny = 3\n"
    assert found.broken is None


def test_cells_that_check_are_not_taken(tmp_path: Path) -> None:
    """Neither are answers that call themselves tests: what the metadata says of points is not asked."""
    test = code('raise SystemExit("as if")', nbgrader={"grade": True, "solution": False, "points": 99, "grade_id": "double-visible"})

    assert read(conftest.notebook(WRONG_DOUBLE, others=[test])).text == WRONG_DOUBLE + "\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "it is not JSON"),
        (b"[" * 100_000, "it is not JSON"),
        (b"[]", "it has no list of cells"),
        (b'{"worksheets": []}', "it has no list of cells"),
    ],
)
def test_what_is_no_notebook_is_told(content: bytes, says: str, engine: Observer, toy: AnswerKey, tmp_path: Path) -> None:
    """With what is missing, and what to hand in."""
    path = tmp_path / "toy.ipynb"
    path.write_bytes(content)

    (found, *_) = Grading(toy, Submission.read(path), {"least": 1}, engine).report(toy.assignment.checks).checks

    assert found.message == f"The notebook cannot be read: {says}."
    assert found.hint == "Hand in the .ipynb file as Jupyter saves it."


def test_pictures_do_not_count_but_code_has_its_limit(tmp_path: Path) -> None:
    """Outputs may be large; what is replayed may not."""
    book = json.loads(conftest.notebook("x = 1"))
    book["cells"][0]["outputs"] = ["x" * 3_000_000]
    (tmp_path / "pictures.ipynb").write_text(json.dumps(book))
    (tmp_path / "large.ipynb").write_text(conftest.notebook("x = 1\n" * 40_000))

    assert Submission.read(tmp_path / "pictures.ipynb").failure is None
    large = Submission.read(tmp_path / "large.ipynb").failure
    assert large is not None
    assert large.text == "200 kB of code"


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str], Any]]:
    """Run a cell of a notebook beside the toy kit, in IPython itself."""
    from IPython.core.interactiveshell import InteractiveShell

    monkeypatch.setenv("AUTOGRADER_ROOT", str(HERE / "kit"))
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    found = InteractiveShell.instance()

    def run(source: str) -> Any:
        done = found.run_cell(source, store_history=True)
        done.raise_error()
        return done.result

    yield run
    InteractiveShell.clear_instance()


@pytest.mark.usefixtures("with_records")
def test_check_in_a_notebook(shell: Callable[[str], Any]) -> None:
    """It grades the function just defined, with helpers of other cells; shows a table with a figure; and says what is not asked for."""
    shell("import autograder\nFACTOR = 3\n1 / 1")
    shell("def double(number):\n    print('<b>')\n    return FACTOR * number - 1")
    wrong = shell('autograder.check("toy", double)')
    shell("def double(number):\n    return 2 * number")
    right = shell('autograder.check("toy", double)')
    other = shell('autograder.check("toy", len)')
    unknown = shell('autograder.check("no_such")')

    assert "✘ double doubles" in repr(wrong)
    assert "<svg" in wrong._repr_html_()
    assert "&lt;b&gt;" in wrong._repr_html_()
    assert right.report.points == right.report.max_points > 0
    assert "✔" in right._repr_html_()
    assert other.problem == "toy asks for no function 'len'.\nIt asks for: counts, words, double."
    assert "There is no assignment called" in unknown._repr_html_()


def test_check_never_shows_a_traceback_of_ours(shell: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of the grader is said in a sentence."""
    monkeypatch.setattr(notebook_check.AnswerKey, "load", lambda *_: 1 / 0)

    assert (
        repr(notebook_check.check("toy"))
        == "The grader failed, not your program. Try again, and tell your instructor if it stays so.\nZeroDivisionError"
    )


@pytest.mark.spark
def test_check_outside_of_a_notebook(tmp_path: Path) -> None:
    """In a plain interpreter it grades the file that the function stands in."""
    (tmp_path / "toy.py").write_text(RIGHT)
    program = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(HERE.parent)!r}]; import toy, autograder; print(autograder.check('toy', toy.double))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=HERE / "kit")

    assert "✔ double doubles" in done.stdout


def test_nbgrader_alone_gives_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the kit's preprocessor is missing, a cell that checks raises: nbgrader then gives it no points."""
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")

    with pytest.raises(RuntimeError, match="preprocessor: it is missing"):
        notebook_check.check("toy")


def test_only_functions_in_one_file_or_a_notebook(toy: AnswerKey) -> None:
    """Of two files nobody knows which was meant."""
    with pytest.raises(KitError, match="not in a notebook, nor in one file"):
        notebook_check._submission(toy, (read, json.loads))


def test_a_report_of_a_notebook_names_it(toy: AnswerKey, engine: Observer, tmp_path: Path) -> None:
    """Reports of a notebook and of the module with the same functions differ in the file alone."""
    (tmp_path / "toy.py").write_text(RIGHT)
    (tmp_path / "toy.ipynb").write_text(conftest.notebook(RIGHT))
    checks = [check for check in toy.assignment.checks if check.function == "double"]

    def graded(name: str) -> Report:
        return Grading(toy, Submission.read(tmp_path / name), {"least": 1}, engine).report(checks)

    assert replace(graded("toy.ipynb"), submission="", sha256="") == replace(graded("toy.py"), submission="", sha256="")
