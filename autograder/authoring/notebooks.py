"""Make an assignment's notebook from its one source: the handout, a cell for each function, and cells that check it.

The cells carry nbgrader's metadata, so that the same notebook is worked in, handed in and graded there. Hidden checks are run by the
kit: no notebook holds them.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbformat import v4

from autograder.authoring.skeletons import cut_skeleton
from autograder.content.catalog import Catalog
from autograder.content.files import read_text
from autograder.machine.syntax import parse
from autograder.model import Assignment, KitError
from autograder.submission.notebook import NOT_BY_NBGRADER

_SCHEMA = 3
VISIBLE, HIDDEN = "-visible", "-hidden"
#: What hidden test cells hold in the source: graded by nbgrader alone they must give no points.
_REFUSES = f"""
### BEGIN HIDDEN TESTS
raise RuntimeError("{NOT_BY_NBGRADER}")
### END HIDDEN TESTS"""
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def student_notebook(catalog: Catalog, assignment: Assignment, handout: str) -> str:
    """The notebook that a student starts from, with the handout's text, as JSON text. Raises KitError as `cut_skeleton` does."""
    solution = catalog.solution(assignment.slug)
    return _notebook(catalog, assignment, handout, cut_skeleton(solution, read_text(solution)))


def source_notebook(catalog: Catalog, assignment: Assignment, handout: str) -> str:
    """The notebook with the solution between its markers, from which nbgrader makes the student's, as JSON text.

    Raises KitError as `cut_skeleton` does.
    """
    solution = catalog.solution(assignment.slug)
    text = read_text(solution)
    cut_skeleton(solution, text)  # refuses what nbgrader would hand out with the solution in it
    return _notebook(catalog, assignment, handout, text, _REFUSES)


def _notebook(catalog: Catalog, assignment: Assignment, handout: str, text: str, hidden: str = "") -> str:
    cells = [_cell("markdown", "handout", handout.strip(), locked=True)]
    names = list(assignment.functions)
    chunks = list(_chunks(text))
    path = catalog.solution(assignment.slug)
    whole = [(node, part) for node, part in _chunks(read_text(path)) if isinstance(node, ast.FunctionDef)]
    _check_names(path, [node for node, _ in whole])
    used = set(re.findall(r"\w+", "\n".join(part for _, part in whole)))  # tells which imports the functions need
    # Of what is left out the blank line before it stays: it parts groups of imports.
    prelude = [part if _is_prelude(node, used) else "" for node, part in chunks if _is_prelude(node, used) or part.startswith("\n")]
    imports = re.sub(r"\n{3,}", "\n\n", "\n".join(prelude)).strip("\n")
    if imports:
        cells.append(_cell("code", "imports", imports, locked=True))
    functions = [(node.name, part) for node, part in chunks if isinstance(node, ast.FunctionDef)]
    for name, part in sorted(functions, key=lambda found: names.index(found[0]) if found[0] in names else -1):
        cells.append(_cell("code", name, part.strip("\n"), solution=True))
        if name in names:
            cells += _tests(assignment, name, hidden)
    book = v4.new_notebook(cells=cells, metadata=_METADATA)  # type: ignore[no-untyped-call]  # nbformat's have no types
    nbformat.validate(book)
    return json.dumps(book, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def points(assignment: Assignment, function: str, *, hidden: bool) -> int:
    """The points of a function's checks, of the hidden or of the visible ones."""
    return sum(check.points for check in assignment.checks if check.function == function and check.hidden is hidden)


def _tests(assignment: Assignment, name: str, hidden: str) -> Iterator[Any]:
    visible = points(assignment, name, hidden=False)
    if visible:
        source = f'import autograder\n\nautograder.check("{assignment.slug}", {name})'
        yield _cell("code", f"{name}{VISIBLE}", source, points=visible, grade=True, locked=True)
    more = points(assignment, name, hidden=True)
    if more:
        source = f"# Hidden checks of {name} are run when your notebook is graded.{hidden}"
        yield _cell("code", f"{name}{HIDDEN}", source, points=more, grade=True, locked=True)


def _check_names(path: Path, functions: Sequence[ast.FunctionDef]) -> None:
    """Cells are called after functions: nbformat wants ASCII, and gives a second cell of a name another one at random."""
    seen = {"handout", "imports"}
    for node in functions:
        cells = {_identifier(node.name + part) for part in ("", VISIBLE, HIDDEN)}
        if cells & seen or len(cells) < 3 or not node.name.isascii():  # noqa: PLR2004  # long names are cut
            raise KitError(
                f"{path}:{node.lineno}: no cell of a notebook can be called {node.name!r}, or another one is.",
                "Give each function a short name of its own, of a to z, 0 to 9 and _.",
            )
        seen |= cells


def _identifier(name: str) -> str:
    return name.replace("_", "-")[:64]


def _cell(kind: str, name: str, source: str, **marks: Any) -> Any:
    make = v4.new_markdown_cell if kind == "markdown" else v4.new_code_cell
    cell = make(source)  # type: ignore[no-untyped-call]  # as above
    cell["id"] = _identifier(name)
    cell["metadata"] = {
        "nbgrader": {"grade": False, "grade_id": name, "locked": False, "schema_version": _SCHEMA, "solution": False, "task": False} | marks
    }
    return cell


def _chunks(text: str) -> Iterator[tuple[ast.stmt, str]]:
    """The statements of a module, each with the comments before it and the indented ones that follow."""
    lines, nodes, end = text.splitlines(), parse(text).body, 0
    for node in nodes:
        start, end = end, node.end_lineno or node.lineno
        while end < len(lines) and lines[end].startswith((" ", "\t")):
            end += 1
        yield node, "\n".join(lines[start:end])


def _is_prelude(node: ast.stmt, used: set[str]) -> bool:
    """Whether a statement stands before the functions and is used in them: what only the main part needs is left out."""
    match node:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return any((name.asname or name.name).split(".")[0] in used for name in names)
        case ast.Assign(targets=targets):
            return any(isinstance(target, ast.Name) and target.id in used for target in targets)
        case ast.ClassDef(name=name):
            return name in used
    return False
