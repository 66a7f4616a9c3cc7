"""What a student runs on their own machine: the visible checks, with the variant that lies beside the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.broker import background
from autograder.content import variants
from autograder.grading.answer_key import AnswerKey
from autograder.grading.redaction import for_student
from autograder.grading.session import Session
from autograder.machine.progress import Progress, silent
from autograder.model import Check, KitError, Report
from autograder.submission.locate import file_in
from autograder.submission.read import Submission


def check_file(answer_key: AnswerKey, file: Path, given: Mapping[str, str], progress: Progress = silent) -> Report:
    """The visible checks of one file, or of what a folder has. Raises KitError when there is none, or for a value that does not fit."""
    assignment = answer_key.assignment
    file = file_in(file, assignment) if file.is_dir() else file
    Session(answer_key, given=given).check_values()  # a mistake in the command is told before one in the file
    if not file.exists():
        raise KitError(f"There is no file {file}.", "Give the path of your file, or run the command in its folder.")
    submission = Submission.read(file, assignment.functions.keys())
    return check(answer_key, submission, file.parent, assignment.visible, given, progress)


def check(  # noqa: PLR0913, PLR0917  # what is checked, and how
    answer_key: AnswerKey,
    submission: Submission,
    folder: Path,
    checks: Sequence[Check],
    given: Mapping[str, str],
    progress: Progress = silent,
) -> Report:
    """Checks of a submission on this machine, with the variant that lies in a folder, as a student may see them.

    Nothing starts, and no Java is looked for, where every function fails by its text alone.
    """
    variant = variants.beside(folder, answer_key.assignment)
    session = Session(answer_key, given=given, background=background.running(), progress=progress)
    session.check_values(variant)
    report = session.grade(submission, checks, variant=variant).report
    return replace(for_student(report), sandbox="own machine")
