"""What students hand in: which of a folder's files counts, and whose it is. Known once, at the door."""

from __future__ import annotations

import ast
import csv
import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.content.files import read_text
from autograder.machine.syntax import parse
from autograder.model import Assignment, Failure, KitError
from autograder.submission.notebook import Program
from autograder.submission.read import Submission, utf8

_LONGEST = 100


@dataclass(frozen=True)
class HandedIn:
    """A file that counts, and its student. ``failure`` is why none of theirs can count."""

    student: str
    path: Path
    failure: Failure | None = None

    def read(self, assignment: Assignment) -> Submission:
        """The submission in it."""
        if self.failure:
            return Submission(self.path, utf8(self.path.name), b"", Program(failure=self.failure), self.student)
        return Submission.read(self.path, assignment.functions.keys(), self.student)


def handed_in(
    paths: Sequence[Path], assignment: Assignment, student: str | None = None, roster: Mapping[str, str] | None = None
) -> list[HandedIn]:
    """The files and folders that were named, each with its student: named by the option, the roster, the file or its folder.

    Raises KitError for two files of one student, and for one whom the roster does not have.
    """
    if student is not None and len(paths) > 1:
        raise KitError(f"--student names one student, here are {len(paths)} files.", "Name one file, or leave --student out.")
    found = [_handed_in(path, assignment, student, roster) for path in paths]
    seen: dict[str, Path] = {}
    for each in found:
        if each.student in seen:
            raise KitError(
                f"{seen[each.student]} and {each.path} are both of {each.student}.",
                "Name every student's submission once: the file is called after the student, or its folder is.",
            )
        seen[each.student] = each.path
    return found


def _handed_in(path: Path, assignment: Assignment, student: str | None, roster: Mapping[str, str] | None) -> HandedIn:
    found = files_in(path, assignment) if path.is_dir() else [path]
    file, failure = found[0], None
    if len(found) > 1:
        failure = Failure("two_files", " and ".join(each.name for each in found))
    name = student or student_of(file, assignment.slug)
    if roster is not None and name not in roster:
        raise KitError(f"{file}: the roster has no {name!r}.", "Add the student to the roster, or call the file as the roster does.")
    return HandedIn(name if roster is None else roster[name], file, failure)


def read_roster(path: Path) -> dict[str, str]:
    """A roster: by the name of a file or folder the student's id. CSV with a column ``student``, and perhaps one called ``file``.

    Raises KitError with the line of an id or a name that is there twice or empty.
    """
    found: dict[str, str] = {}
    reader = csv.DictReader(read_text(path).lstrip("\ufeff").splitlines())
    if "student" not in (reader.fieldnames or ()):
        raise KitError(f"{path}:1: the roster has no column 'student'.", "Write CSV with the header student, or student,file.")
    for row in reader:
        student = (row["student"] or "").strip()
        for name in dict.fromkeys(filter(None, (student, (row.get("file") or "").strip()))):
            if name in found:
                raise KitError(f"{path}:{reader.line_num}: {name!r} is there twice.", "Give each student one line.")
            found[name] = student
        if not student:
            raise KitError(f"{path}:{reader.line_num}: a student without an id.", "Give each student an id.")
    return found


def file_in(folder: Path, assignment: Assignment) -> Path:
    """The one file that counts in a folder. Raises KitError when both the module and the notebook are worked in."""
    found = files_in(folder, assignment)
    if len(found) > 1:
        raise KitError(f"{found[0]} and {found[1].name} are both worked in.", "Name the one that counts, or leave the other one out.")
    return found[0]


def files_in(folder: Path, assignment: Assignment) -> list[Path]:
    """The module or the notebook in a folder, or in its ``assignments/SLUG`` as in a released repository.

    Students get both: what they have not worked in does not count. Both, where they have worked in both.
    """
    places = [place for place in (folder, folder / "assignments" / assignment.slug) if _files(place, folder, assignment.slug)]
    if not places:
        return [folder / f"{assignment.slug}.py"]
    found = _files(places[0], folder, assignment.slug)
    written = [path for path in found if is_worked_in(path, assignment)] if len(found) > 1 else found
    return written or found[:1]


def _files(place: Path, folder: Path, slug: str) -> list[Path]:
    """The files of a place that lies in a folder itself: a link on the way could lead to somebody else's."""
    way = [place, *place.parents][: len(place.relative_to(folder).parts)]
    if any(each.is_symlink() for each in way):
        return []
    return [path for path in (place / f"{slug}.py", place / f"{slug}.ipynb") if path.is_symlink() or path.exists()]


def is_worked_in(path: Path, assignment: Assignment) -> bool:
    """Whether a function that is asked for is anything but the skeleton's; what cannot be read has been worked in too."""
    program = Submission.read(path, assignment.functions.keys()).program
    try:
        body = parse(program.text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # all that Python's parser raises
        return True
    functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef) and node.name in assignment.functions}
    return bool(program.failure or program.broken) or any(not _is_skeleton(node) for node in functions.values())


def _is_skeleton(function: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Raise) and "NotImplementedError" in ast.dump(node) for node in function.body)


def student_of(path: Path, slug: str) -> str:
    """Whose a file is: ``alice`` for alice.py and alice_SLUG.py; its folder's where it is called after the assignment."""
    if path.stem != slug:
        return utf8(path.stem.removesuffix(f"_{slug}"))
    folder = Path(os.path.abspath(path)).parent
    return utf8(folder.parent.parent.name if (folder.parent.name, folder.name) == ("assignments", slug) else folder.name)


def folder_name(student: str) -> str:
    """What a student's folder of reports is called: the id, but nothing that leads elsewhere or that no file system takes."""
    name = re.sub(r"[/\\\x00-\x1f\x7f]", "_", student)
    name = f"_{name}" if name.startswith(".") or not name else name
    if len(name.encode()) <= _LONGEST and name == student:
        return name
    digest = hashlib.sha256(student.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return f"{name.encode()[:_LONGEST].decode('utf-8', 'ignore')}-{digest}"
