"""Mutants of the solution on real Spark and Kafka: which of them get full points."""

from __future__ import annotations

import queue
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from autograder.authoring.mutants import SAME, Mutant, mutants
from autograder.content.files import read_text
from autograder.engines.base import Observer
from autograder.engines.runtime import Runtime
from autograder.grading.answer_key import AnswerKey
from autograder.grading.session import Session
from autograder.machine.progress import Progress
from autograder.model import Check, Outcome
from autograder.submission.read import Submission

#: A mutant may wait for ever; the solution is done in a few seconds. In seconds, for each fixture.
_PATIENCE = 20


def survivors(
    answer_key: AnswerKey,
    progress: Progress,
    functions: Sequence[str] = (),
    observer: Callable[[AnswerKey, Runtime], Observer] = lambda _, runtime: runtime,
) -> list[Mutant]:
    """The mutants of these functions, of all when none is named, that no check catches. They run as the solution does: unconfined."""
    text = read_text(answer_key.catalog.solution(answer_key.assignment.slug))
    found = list(mutants(text, functions or list(answer_key.assignment.functions)))
    with Runtime() as one, Runtime(beside=one) as other, tempfile.TemporaryDirectory(prefix="autograder-strength-") as folder:
        trial = _Trial(Session(answer_key), text, Path(folder), [observer(answer_key, each) for each in (one, other)])
        return list(trial.survivors(found, progress))


class _Trial:
    """Grades mutants, each put behind the solution, until a check catches it."""

    def __init__(self, session: Session, text: str, folder: Path, observers: Sequence[Observer]) -> None:
        self.session, self.text, self.folder = session, text, folder
        self.free: queue.SimpleQueue[Observer] = queue.SimpleQueue()
        for observer in observers:
            self.free.put(observer)

    def survivors(self, found: Sequence[Mutant], progress: Progress) -> Iterator[Mutant]:
        """Those that are right on all checks, in their order."""
        with ThreadPoolExecutor(self.free.qsize()) as pool:
            results = pool.map(self.survives, range(len(found)), found)
            for number, (mutant, survives) in enumerate(zip(found, results, strict=True), 1):
                progress(mutant.id, number, len(found))
                if survives:
                    yield mutant

    def survives(self, number: int, mutant: Mutant) -> bool:
        """Whether every check of its function passes: the visible ones first, for most are caught there."""
        path = self.folder / f"mutant_{number}.py"
        path.write_text(f"{self.text}\n\n{SAME}\n\n{mutant.text}\n", encoding="utf-8")
        submission = Submission.read(path)
        checks = [replace(check, time_limit=_PATIENCE) for check in self._checks(mutant.function)]
        observer = self.free.get()
        try:
            return all(self.passes(submission, [each for each in checks if each.hidden is hidden], observer) for hidden in (False, True))
        finally:
            self.free.put(observer)

    def _checks(self, function: str) -> list[Check]:
        checks = [check for check in self.session.answer_key.assignment.checks if check.function == function]
        ids = {check.id for check in checks}
        return [replace(check, needs=tuple(need for need in check.needs if need in ids and not check.hidden)) for check in checks]

    def passes(self, submission: Submission, checks: Sequence[Check], observer: Observer) -> bool:
        """Whether these checks pass; one that could not be decided counts as passed, so that it is looked at."""
        report = self.session.grade(submission, checks, observer=observer).report
        return all(check.outcome in {Outcome.PASSED, Outcome.GRADER_ERROR} for check in report.checks)
