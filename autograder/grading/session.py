"""The one way to grade: an assignment, a submission with its student, and parameters become a report."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder import engines
from autograder.broker.background import Background
from autograder.content import variants
from autograder.content.catalog import Catalog
from autograder.engines.base import Observer
from autograder.engines.runtime import Runtime
from autograder.grading.answer_key import AnswerKey
from autograder.grading.apart import Bounds, EndedError, ExceededError, apart
from autograder.grading.waves import Grading, Tell, undecided
from autograder.machine.java import find_java
from autograder.machine.progress import Progress, silent
from autograder.model import Assignment, Check, CheckReport, Failure, KitError, Report, Variant
from autograder.sandbox import bubblewrap
from autograder.sandbox.bubblewrap import Sandbox
from autograder.submission.notebook import Program
from autograder.submission.read import Submission

#: Assignments worked on at once: replays on brokers and DStreams leave half of two cores idle.
AT_ONCE = 2


@dataclass(frozen=True)
class Graded:
    """A report with all that an instructor may see, and the seconds of each replay, which are no part of it."""

    report: Report
    seconds: Mapping[str, float]


@dataclass(frozen=True)
class _Asked:
    """What is to be graded: a submission on some checks, with a variant."""

    submission: Submission
    checks: Sequence[Check]
    variant: Variant


@dataclass(frozen=True)
class Session:
    """How submissions of one assignment are graded. Each gets processes of its own, unless it is told whose to use.

    ``secret`` is the course's: with it each student has their own variant. ``given`` are values of parameters that were named.
    ``sandbox`` confines submissions; without it nothing does. ``background`` is a Kafka that runs on this machine.
    """

    answer_key: AnswerKey
    secret: bytes | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    sandbox: Sandbox | None = None
    background: Background | None = None
    progress: Progress = silent

    def variant(self, student: str) -> Variant:
        """What a student is graded with: their variant where the course has a secret, else the defaults."""
        assignment = self.answer_key.assignment
        return Variant(assignment.defaults()) if self.secret is None else variants.draw(self.secret, assignment, student)

    def check_values(self, variant: Variant | None = None) -> None:
        """Raise KitError for a value that does not fit, before anything is graded."""
        self.answer_key.values((variant or Variant(self.answer_key.assignment.defaults())).parameters, self.given)

    def grade(
        self,
        submission: Submission,
        checks: Sequence[Check] | None = None,
        *,
        variant: Variant | None = None,
        observer: Observer | None = None,
        known: Mapping[str, CheckReport] | None = None,
    ) -> Graded:
        """Grade one submission: all checks, or these; with its student's variant, or this one.

        ``observer`` is who replays, its own processes when none is named. ``known`` are outcomes that need no replay.
        What its engines need is prepared before the first replay, and not where nothing is replayed. Raises KitError when it cannot be had.
        """
        checks = self.answer_key.assignment.checks if checks is None else checks
        asked = _Asked(submission, checks, variant or self.variant(submission.student))
        if self.sandbox and observer is None:
            return self._apart(asked, known or {})
        return self._graded(asked, observer, known or {}, self._telling(submission))

    def _apart(self, asked: _Asked, known: Mapping[str, CheckReport]) -> Graded:
        """Graded in a process of its own. Where a bound ends that, the checks judged so far stand, and the others have that outcome."""
        telling, judged = self._telling(asked.submission), dict(known)

        def hear(told: object) -> None:
            if isinstance(told, tuple):
                judged[told[0].id] = told[0]
                telling(*told)

        def work(tell: Callable[[object], None]) -> Graded:
            return self._graded(asked, None, known, lambda *told: tell(told))

        limits = self.answer_key.assignment.limits
        try:
            return apart(work, hear, Bounds(wall=limits.submission_time))
        except ExceededError as exceeded:
            program = Program(failure=Failure(str(exceeded), str(limits.submission_time)))
        except EndedError as ended:
            program = Program()
            judged |= {check.id: undecided(check, str(ended)) for check in asked.checks if check.id not in judged}
        asked = replace(asked, submission=replace(asked.submission, program=program))
        return self._graded(asked, None, judged, telling)

    def _graded(self, asked: _Asked, observer: Observer | None, known: Mapping[str, CheckReport], tell: Tell) -> Graded:
        answer_key = replace(self.answer_key, seeds=asked.variant.seeds)
        values = answer_key.values(asked.variant.parameters, self.given)
        with self._observer(observer) as replaying:
            grading = Grading(answer_key, asked.submission, values, replaying, known)
            report = grading.report(asked.checks, tell)
        seconds = {f"{key[0]} on {key[1]}": getattr(seen, "seconds", 0.0) for key, seen in grading.seen.items()}
        return Graded(report, dict(sorted(seconds.items())))

    def _telling(self, submission: Submission) -> Tell:
        """Progress that names the submission: several may be graded at once."""
        whose = f"{self.answer_key.assignment.slug}, {submission.student or submission.name}"
        return lambda report, done, of: self.progress(f"{whose}: {report.says}", done, of)

    @contextlib.contextmanager
    def _observer(self, given: Observer | None) -> Iterator[Observer]:
        if given is not None:
            yield given
            return
        with Runtime(self.sandbox, self.background, prepare=lambda: prepare(self.answer_key.assignment, self.progress)) as runtime:
            yield runtime


def prepare(assignment: Assignment, progress: Progress = silent) -> None:
    """Have ready on this machine what the engines of an assignment need. Raises KitError when it cannot be had."""
    for name in dict.fromkeys(function.engine for function in assignment.functions.values()):
        engines.engine(name).prepare(progress)


def left_out(assignment: Assignment, progress: Progress = silent) -> bool:
    """Whether an assignment must be left out because Kafka cannot be fetched; says so. The rest goes on."""
    find_java()
    try:
        prepare(assignment, progress)
    except KitError as error:
        if not any(engines.engine(function.engine).needs_brokers for function in assignment.functions.values()):
            raise
        progress(f"SKIPPED {assignment.slug}: {error.message} {error.hint}", 0, 0)
        return True
    return False


def gradable(catalog: Catalog, slugs: Sequence[str], progress: Progress) -> list[AnswerKey]:
    """The answer keys of these assignments, of all when no slug is given, but not of those that must be left out.

    Raises KitError for what was released to students.
    """
    answer_keys = [AnswerKey.load(catalog, slug).complete() for slug in slugs or catalog.slugs()]
    return [answer_key for answer_key in answer_keys if not left_out(answer_key.assignment, progress)]


def confinement(answer_key: AnswerKey, others: Sequence[Path] = ()) -> Sandbox:
    """The sandbox for an assignment's submissions.

    Raises KitError where this machine has none, and when solutions, fixtures or one of ``others`` lie where a sandbox shows them.
    """
    slug, catalog = answer_key.assignment.slug, answer_key.catalog
    sandbox = bubblewrap.sandbox(find_java(), answer_key.assignment.limits)
    for path in filter(sandbox.shows, (catalog.solutions(slug), catalog.fixture_folder(slug), *others)):
        raise KitError(f"{path} lies where submissions can read it, among the system's or Python's files.", "Move it elsewhere.")
    return sandbox
