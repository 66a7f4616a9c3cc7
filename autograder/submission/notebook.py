"""Read the program out of a notebook that was handed in: nothing of it is run, and of its outputs and metadata little is believed.

Cells that the assignment marks for answers, or has locked, are taken whole, whatever a student has made of them: copied, moved,
retyped. Of other code cells only what defines something is taken, so that a function written in a new cell counts and a query started
there does not.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from typing import Any

from autograder.machine.syntax import parse
from autograder.model import Failure, Place

SUFFIX = ".ipynb"
#: Letters of code. The grader itself parses them, so it is less than a module may have.
_MOST = 200_000
#: Objects, lists and their members: of nothing but these a file of few megabytes would take gigabytes.
_MOST_PARTS = 1_000_000
_DEFINES = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
#: IPython's own lines: ``%magic``, ``!command``, ``?name`` and ``name?``. Source: IPython's input transformers.
_COMMAND = re.compile(r"^(\s*)(?:[%!?].*|[\w.]+\?{1,2}\s*)$")
#: Why a cell with points gives none where nbgrader runs it by itself.
NOT_BY_NBGRADER = "These checks are graded by the autograder's preprocessor: it is missing in nbgrader_config.py."
_HALVES = Failure("not_utf8", text="half of a surrogate pair")
_TIMED = re.compile(r"^%%(?:time|timeit|capture|prun)\b")


@dataclass(frozen=True)
class Cell:
    """A cell as far as it matters here. ``name`` is what a student finds it by."""

    name: str
    kind: str
    source: str
    answer: bool = False
    test: bool = False


@dataclass(frozen=True)
class Program:
    """A notebook's program as the text of a module; ``places`` says of every line in which cell it stands, and at which line there.

    ``broken`` is the failure of the first answer that Python cannot read: it is left out, so that the others count. Its lines follow
    in ``places`` behind those of the text.
    """

    text: str = ""
    places: tuple[Place, ...] = ()
    failure: Failure | None = None
    broken: Failure | None = None


def read(content: bytes, functions: Set[str]) -> Program:
    """The program in a notebook of format 4; ``functions`` are the names that the assignment asks for."""
    if sum(content.count(sign) for sign in (b"{", b"[", b",")) > _MOST_PARTS:
        return Program(failure=Failure("too_big", text=f"{_MOST_PARTS:,} parts"))
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return Program(failure=Failure("not_a_notebook", text="it is not JSON"))
    cells = found.get("cells") if isinstance(found, dict) else None
    if not isinstance(cells, list):
        return Program(failure=Failure("not_a_notebook", text="it has no list of cells"))
    return program(list(_cells(cells)), functions)


def program(cells: Iterable[Cell], functions: Set[str]) -> Program:
    """The module that these cells make."""
    cells = list(cells)
    if sum(len(cell.source) for cell in cells if cell.kind == "code" or cell.answer) > _MOST:
        return Program(failure=Failure("too_big", text=f"{_MOST // 1000} kB of code"))
    read = [(cell, *_python(cell.source)) for cell in cells if not cell.test and (cell.kind == "code" or cell.answer)]
    kept = [(line, Place(cell.name, number)) for cell, source, tree in read for number, line in _kept(cell, source, tree, functions)]
    text = "".join(f"{line}\n" for line, _ in kept)
    places = [place for _, place in kept]
    unread = [(cell, error) for cell, _, error in read if isinstance(error, SyntaxError) and cell.answer and cell.kind == "code"]
    broken = None
    if unread:
        cell, error = unread[0]
        broken = Failure("syntax", error.msg, len(places) + (error.lineno or 1), "SyntaxError")
        places += [Place(cell.name, number) for number in range(1, cell.source.count("\n") + 3)]
    failure = None if text.strip() else broken or Failure("empty")
    return Program(text, tuple(places), failure, broken) if _is_unicode(text) else Program(failure=_HALVES)


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _cells(found: list[Any]) -> Iterator[Cell]:
    for number, cell in enumerate(found, 1):
        if not isinstance(cell, dict):
            continue
        metadata = cell.get("metadata")
        marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
        marks = marks if isinstance(marks, dict) else {}
        grade_id = marks.get("grade_id")
        name = grade_id if isinstance(grade_id, str) and re.fullmatch(r"[\w-]{1,60}", grade_id) else f"number {number}"
        locked = marks.get("locked") is True and marks.get("grade") is not True and cell.get("cell_type") == "code"
        answer = marks.get("solution") is True or locked
        yield Cell(name, str(cell.get("cell_type")), _source(cell.get("source")), answer, marks.get("grade") is True and not answer)


def _source(found: Any) -> str:
    """A cell's text, which the format has as one string or as a list of lines. Line ends as Python counts them."""
    parts = found if isinstance(found, list) else [found]
    return "".join(part for part in parts if isinstance(part, str)).replace("\r\n", "\n").replace("\r", "\n")


def _kept(cell: Cell, source: str, tree: ast.Module | SyntaxError, functions: Set[str]) -> Iterator[tuple[int, str]]:
    """The lines of a cell that belong to the program, with their numbers in it."""
    if isinstance(tree, SyntaxError):
        return
    lines = source.split("\n")
    if cell.answer or functions & set(_defined(tree)):
        yield from enumerate(lines, 1)
        return
    for node in tree.body:
        if isinstance(node, _DEFINES) or _is_constant(node):
            first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
            yield from ((number, lines[number - 1]) for number in range(first, (node.end_lineno or first) + 1))


def _python(source: str) -> tuple[str, ast.Module | SyntaxError]:
    """The cell as Python, and its tree. What is Python already is not touched."""
    tree = _parsed(source)
    if isinstance(tree, ast.Module):
        return source, tree
    source = _without_commands(source)
    return source, _parsed(source)


def _without_commands(source: str) -> str:
    """The cell without IPython's commands, each line where it was."""
    first, _, rest = source.partition("\n")
    if _TIMED.match(first):
        return "\n" + rest
    if first.startswith("%%"):
        return ""
    return "\n".join(_COMMAND.sub(r"\1pass", line) for line in source.split("\n"))


def _parsed(source: str) -> ast.Module | SyntaxError:
    try:
        return parse(source)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError) as error:
        return SyntaxError(str(error) or "nested too deeply")


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _is_constant(node: ast.stmt) -> bool:
    """Whether it gives a name to something that is made without calling anything."""
    calls = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom)
    return isinstance(node, (ast.Assign, ast.AnnAssign)) and not any(isinstance(inner, calls) for inner in ast.walk(node))
