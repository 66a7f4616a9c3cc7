"""What students hand in: which of a folder's files counts, and whose it is."""

from __future__ import annotations

import ast
import os
from pathlib import Path

from autograder.grading import Submission
from autograder.model import Assignment, KitError
from autograder.quantities import parse


def file_in(folder: Path, assignment: Assignment) -> Path:
    """The module or the notebook in a folder, or in its ``assignments/SLUG`` as in a released repository.

    Students get both: what they have not worked in does not count. Raises KitError when they have worked in both.
    """
    places = [place for place in (folder, folder / "assignments" / assignment.slug) if _files(place, assignment.slug)]
    if not places:
        return folder / f"{assignment.slug}.py"
    found = _files(places[0], assignment.slug)
    written = [path for path in found if is_worked_in(path, assignment)] if len(found) > 1 else found
    if len(written) > 1:
        raise KitError(f"{written[0]} and {written[1].name} are both worked in.", "Name the one that counts, or leave the other one out.")
    return (written or found)[0]


def _files(folder: Path, slug: str) -> list[Path]:
    return [path for path in (folder / f"{slug}.py", folder / f"{slug}.ipynb") if path.exists()]


def is_worked_in(path: Path, assignment: Assignment) -> bool:
    """Whether a function that is asked for is anything but the skeleton's; what cannot be read has been worked in too."""
    program = Submission.read(path, functions=assignment.functions.keys()).program
    try:
        body = parse(program.text).body
    except SyntaxError:
        return True
    functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef) and node.name in assignment.functions}
    return bool(program.trouble or program.broken) or any(not _is_skeleton(node) for node in functions.values())


def _is_skeleton(function: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Raise) and "NotImplementedError" in ast.dump(node) for node in function.body)


def student_of(path: Path, slug: str) -> str:
    """Whose a file is: ``alice`` for alice.py and alice_SLUG.py; its folder's where it is called after the assignment."""
    if path.stem != slug:
        return path.stem.removesuffix(f"_{slug}")
    folder = Path(os.path.abspath(path)).parent
    return folder.parent.parent.name if (folder.parent.name, folder.name) == ("assignments", slug) else folder.name
