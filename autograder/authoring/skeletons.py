"""Cut the skeleton from the solution."""

from __future__ import annotations

import re
from pathlib import Path

from autograder.machine.syntax import parse
from autograder.model import KitError

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


def cut_skeleton(path: Path, text: str) -> str:
    """The solution without what stands between its markers. Raises KitError with the line that is wrong."""
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
    _check_solution(path, text)
    _check_skeleton(path, skeleton)
    return skeleton


def _refuse(path: Path, line: int, wrong: bool, problem: str) -> None:
    if wrong:
        raise KitError(f"{path}:{line}: {problem}", "Markers come in pairs, one pair after the other.")


def _check_solution(path: Path, text: str) -> None:
    try:
        parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # all that Python's parser raises
        line, reason = (error.lineno, error.msg) if isinstance(error, SyntaxError) else (None, error)
        raise KitError(f"{path}:{line or 1}: the solution is not Python: {reason}", "Fix this line.") from error


def _check_skeleton(path: Path, skeleton: str) -> None:
    try:
        parse(skeleton)
    except SyntaxError as error:
        raise KitError(f"{path}: the skeleton cut from it is not Python: {error}", "Put markers around whole statements.") from error
