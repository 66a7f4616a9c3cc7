"""Many submissions of one assignment, one after the other."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.engines.runtime import Runtime
from autograder.grading.session import Graded, Session, confinement, prepare
from autograder.submission.locate import HandedIn


def grade_all(
    session: Session, handed_in: Sequence[HandedIn], *, confined: bool, others: Sequence[Path] = (), together: bool = False
) -> Iterator[Graded]:
    """All checks of every submission, each on a Spark of its own, as soon as it is graded.

    With ``together`` they share processes and a sandbox, which is faster: for files of the kit's own.
    Raises KitError before anything is graded: when they are to be confined and this machine cannot do it, for a value that does not
    fit, and for what was released to students.
    """
    answer_key = session.answer_key.complete()
    session.check_values()
    prepare(answer_key.assignment, session.progress)
    files = [each.path.parent / each.path.name for each in handed_in if not each.path.is_symlink()]  # a link is never read
    sandbox = confinement(answer_key, [*files, *others]) if confined else None
    session = replace(session, sandbox=sandbox)
    with Runtime(sandbox) if together else contextlib.nullcontext() as observer:
        for each in handed_in:
            yield session.grade(each.read(answer_key.assignment), observer=observer)
