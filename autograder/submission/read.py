"""Read what a student handed in, without running anything of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

from autograder.model import Failure
from autograder.submission import notebook
from autograder.submission.notebook import Program

_MOST_BYTES = 1_000_000
#: A notebook carries its outputs too, pictures among them; its code has a limit of its own.
_NOTEBOOK_TIMES = 20


def utf8(name: str) -> str:
    """A file's name as text: it may be any bytes, a report is UTF-8."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class Submission:
    """A file as it was handed in: a module, or a notebook.

    ``name`` is what reports call it, ``program`` what is replayed of it, ``student`` whose it is (empty on a student's own machine).
    """

    path: Path
    name: str
    content: bytes
    program: Program
    student: str = ""

    @property
    def failure(self) -> Failure | None:
        """What is wrong with the file itself."""
        return self.program.failure

    @classmethod
    def read(cls, path: Path, functions: Set[str] = frozenset(), student: str = "", name: str = "") -> Submission:
        """Read a file without running it; what is wrong with it becomes its failure.

        ``functions`` are the names that the assignment asks for; in a notebook their cells are taken whole.
        """
        name = name or utf8(path.name)
        is_notebook = path.suffix == notebook.SUFFIX
        most = _MOST_BYTES * (_NOTEBOOK_TIMES if is_notebook else 1)
        try:
            content = _content(path, most)
        except OSError:
            return cls(path, name, b"", Program(failure=Failure("missing", text=name)), student)
        if content is None:
            return cls(path, name, b"", Program(failure=Failure("not_a_file", text=name)), student)
        if len(content) > most:
            return cls(path, name, b"", _too_big(most), student)
        found = notebook.read(content, functions) if is_notebook else _module(content)
        return cls(path, name, content, found if len(found.text) <= _MOST_BYTES else _too_big(_MOST_BYTES), student)


def _too_big(most: int) -> Program:
    return Program(failure=Failure("too_big", text=f"{most // 1_000_000} MB"))


def _content(path: Path, most: int) -> bytes | None:
    """A file's bytes, one more than the most where there are more; None when it is no file."""
    if not stat.S_ISREG(path.lstat().st_mode):  # a link could name the solution
        return None
    with open(path, "rb", opener=_regular) as file:  # Path.open takes no opener
        return file.read(most + 1)


def _module(content: bytes) -> Program:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        return Program(failure=Failure("not_utf8", text=f"byte {error.start + 1}", line=line))
    return Program(text, failure=None if text.strip() else Failure("empty"))


def _regular(path: str, flags: int) -> int:
    """Open without following a link or waiting for a pipe, whatever the file has become meanwhile."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
