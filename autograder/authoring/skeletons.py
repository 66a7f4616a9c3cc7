"""Cut the skeleton from the solution, and render the handout with the parameters."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path

import jinja2

from autograder.catalog import Catalog, read_text
from autograder.model import Assignment, KitError, Value

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


def cut_skeleton(path: Path, text: str) -> str:
    """The solution without what stands between its markers. Raises KitError with the line of a marker out of place."""
    kept: list[str] = []
    opened = 0
    for number, line in enumerate(text.splitlines(), 1):
        marker = line.strip()
        if marker == BEGIN:
            _refuse(path, number, opened > 0, f"BEGIN SOLUTION stands in the block of line {opened}")
            opened = number
            indent = line[: len(line) - len(line.lstrip())]
            kept.append(f"{indent}# TODO: your code, in place of the next line")
            kept.append(f'{indent}raise NotImplementedError("write this function")')
        elif marker == END:
            _refuse(path, number, not opened, "END SOLUTION without a BEGIN SOLUTION")
            opened = 0
        elif not opened:
            _refuse(path, number, bool(re.search(r"(BEGIN|END)\s+SOLUTION", line)), f"a marker is written exactly {BEGIN!r} or {END!r}")
            kept.append(line)
    _refuse(path, opened, opened > 0, "BEGIN SOLUTION without an END SOLUTION")
    _refuse(path, 1, BEGIN not in text, "there is no BEGIN SOLUTION")
    skeleton = "\n".join(kept) + "\n"
    _check_python(path, skeleton)
    return skeleton


def _refuse(path: Path, line: int, wrong: bool, problem: str) -> None:
    if wrong:
        raise KitError(f"{path}:{line}: {problem}", "Markers come in pairs, one pair after the other.")


def _check_python(path: Path, skeleton: str) -> None:
    try:
        ast.parse(skeleton)
    except SyntaxError as error:
        raise KitError(f"{path}: the skeleton cut from it is not Python: {error}", "Put markers around whole statements.") from error


def handout_source(catalog: Catalog, slug: str) -> Path:
    """The handout's template."""
    return catalog.solutions(slug) / "handout.md.j2"


def render_handout(catalog: Catalog, assignment: Assignment, parameters: Mapping[str, Value]) -> str:
    """The handout with these parameters. Raises KitError with the line that Jinja refuses."""
    path = handout_source(catalog, assignment.slug)
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True, autoescape=False)  # noqa: S701  # Markdown
    try:
        template = environment.from_string(read_text(path))
        return str(template.render(**parameters, assignment=assignment, checks=assignment.checks, parameters=assignment.parameters))
    except jinja2.TemplateSyntaxError as error:
        raise KitError(f"{path}:{error.lineno}: {error.message}", "Mend the template.") from error
    except jinja2.UndefinedError as error:
        raise KitError(
            f"{path}: {error.message}", f"It may use: {', '.join([*parameters, 'assignment', 'checks', 'parameters'])}."
        ) from error
