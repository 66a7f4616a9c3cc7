"""Grade one submission: plan the replays in waves, judge what comes back, never fail open."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from typing import TypeAlias

from autograder import __version__, engines
from autograder.engines.base import Caller, Observer
from autograder.grading.answer_key import AnswerKey
from autograder.grading.cleaning import cleaned
from autograder.grading.diagnosis import Judged, diagnosed
from autograder.judge import evidence
from autograder.judge.advice import advice, explain
from autograder.judge.bounds import is_too_large
from autograder.judge.compare import compare
from autograder.judge.diagnose import Case
from autograder.judge.messages import FAULT, MESSAGES
from autograder.model import (
    Check,
    CheckReport,
    Difference,
    Evidence,
    Failure,
    Fixture,
    Function,
    GraderFaultError,
    Observation,
    Outcome,
    Report,
    Request,
    StepOutput,
    Value,
)
from autograder.submission import early
from autograder.submission.read import Submission
from autograder.wire import BROKEN

#: Told of a check that is judged, how many are, and how many there are.
Tell: TypeAlias = Callable[[CheckReport, int, int], None]
_Key = tuple[str, str, tuple[tuple[str, Value], ...], int]


class Grading:
    """The grading of one submission: replays are shared by the checks that need the same one.

    ``known`` are checks judged before.
    """

    def __init__(
        self,
        answer_key: AnswerKey,
        submission: Submission,
        parameters: dict[str, Value],
        observer: Observer,
        known: Mapping[str, CheckReport] | None = None,
    ) -> None:
        self.answer_key, self.submission, self.parameters, self.observer = answer_key, submission, parameters, observer
        self.seen: dict[_Key, Observation | GraderFaultError] = {}
        self.reports: dict[str, CheckReport] = dict(known or {})
        self.judged: dict[str, Judged] = {}
        self.reading = early.read(submission.program.text)
        self.began = time.monotonic()

    def report(self, checks: Sequence[Check], tell: Tell = lambda *_: None) -> Report:
        """Grade the given checks, the visible ones first. ``tell`` is told of each.

        What a submission prints in a visible check is shown to students, and whatever has replayed a hidden fixture may know it.
        """
        for hidden in (False, True):
            todo = [check for check in checks if check.hidden is hidden and check.id not in self.reports]
            self._report(todo, len(checks), tell)
        return self._whole(diagnosed(self.answer_key, [self.reports[check.id] for check in checks], self.judged))

    def _report(self, checks: Sequence[Check], of: int, tell: Tell) -> None:
        """In waves: a check is replayed once those that it needs have passed."""
        waiting = list(checks)
        while waiting:
            ready = [check for check in waiting if all(need in self.reports for need in check.needs)]
            for check in ready or waiting:
                self._skip(check)
            self._replay([check for check in ready if check.id not in self.reports])
            for check in ready:
                if check.id not in self.reports:
                    self.reports[check.id] = self._judge(check)
                tell(self.reports[check.id], len(self.reports), of)
            waiting = [check for check in waiting if check.id not in self.reports]

    def _skip(self, check: Check) -> None:
        for need in check.needs:
            found = self.reports.get(need)
            if found is None or found.outcome is not Outcome.PASSED:
                says = found.says if found else need
                if found is not None and found.outcome is Outcome.GRADER_ERROR:
                    self.reports[check.id] = _empty(check, Outcome.GRADER_ERROR, f"It needs “{says}”, which the grader could not decide.")
                else:
                    self.reports[check.id] = _empty(check, Outcome.SKIPPED, f"It needs “{says}”, which did not pass.")
                return

    def _replay(self, checks: Iterable[Check]) -> None:
        if self.submission.failure:
            return
        requests: dict[_Key, Request] = {}
        source, limits = self.submission.program.text, self.answer_key.assignment.limits
        for check in checks:
            values = {**self.parameters, **check.parameters}
            for fixture in self.answer_key.fixtures(check, self.parameters):
                request = Request(source, self.answer_key.function(check), fixture, values, check.time_limit, limits)
                requests.setdefault(self._key(check, fixture), request)
        if time.monotonic() - self.began > limits.submission_time:
            over = Observation(failure=Failure("submission_time", str(limits.submission_time)))
            self.seen = {**dict.fromkeys(requests, over), **self.seen}
        self._read(requests)
        todo = {id(request): key for key, request in requests.items() if key not in self.seen}
        for request, found in self.observer.observe([requests[key] for key in todo.values()]):
            self.seen[todo[id(request)]] = found

    def _read(self, requests: Mapping[_Key, Request]) -> None:
        """What the text alone tells needs no replay."""
        for key, request in requests.items():
            function = request.function
            engine = engines.engine(function.engine)
            if key in self.seen or not isinstance(engine, Caller):
                continue
            failure = self.reading.failure(function.name, engine.positional(request), (*function.parameters, *function.provides))
            if failure:
                self.seen[key] = Observation(failure=failure)

    def _key(self, check: Check, fixture: Fixture) -> _Key:
        values = {**self.parameters, **check.parameters}
        return (check.function, fixture.name, tuple(sorted(values.items())), check.time_limit)

    def _judge(self, check: Check) -> CheckReport:
        try:
            return self._placed(self._judged(check))
        except GraderFaultError as fault:
            return undecided(check, str(fault))
        except Exception as fault:  # noqa: BLE001  # whatever fails in judging is our fault and gives no marks
            return undecided(check, f"{type(fault).__name__}: {fault}")

    def _placed(self, report: CheckReport) -> CheckReport:
        """The report with a line of the module as the notebook's cell and line."""
        places = self.submission.program.places
        if report.line is None or not 0 < report.line <= len(places):
            return report
        place = places[report.line - 1]
        return replace(report, line=place.line, cell=place.cell)

    def _judged(self, check: Check) -> CheckReport:
        function = self.answer_key.function(check)
        values = {**self.parameters, **check.parameters}
        cases, failed, failures = [], [], []
        fixtures = self.answer_key.fixtures(check, self.parameters)
        printed = ""
        for fixture in fixtures:
            observation = self._observation(check, fixture)
            printed = printed or observation.printed
            expected = self.answer_key.expected(check, fixture, self.parameters)
            failure = _failure(function, check, fixture, expected, observation)
            cases.append(Case(fixture, values, expected, observation))
            if failure:
                failed.append(cases[-1])
                failures.append(failure)
        self.judged[check.id] = Judged(function, cases, failed)
        if not failures:
            return replace(_empty(check, Outcome.PASSED), points=float(check.points), printed=printed)
        passed = len(fixtures) - len(failures)
        first = failures[0]
        return replace(
            first.report(check),
            points=round(check.points * passed / len(fixtures), 2) if check.partial else 0.0,
            hint=first.hint,
            evidence=tuple(failure.evidence for failure in failures),
            printed=printed,
        )

    def _observation(self, check: Check, fixture: Fixture) -> Observation:
        if self.submission.failure:
            return Observation(failure=self.submission.failure)
        seen = self.seen[self._key(check, fixture)]
        if isinstance(seen, GraderFaultError):
            raise seen
        found = cleaned(seen)
        if found.failure and found.failure.kind not in MESSAGES:
            return Observation(failure=BROKEN)
        if found.failure and found.failure.kind == "no_function" and self.submission.program.broken:
            return Observation(failure=self.submission.program.broken)
        return Observation(failure=Failure("too_much_output"), printed=found.printed) if is_too_large(found) else found

    def _whole(self, checks: list[CheckReport]) -> Report:
        return Report(
            version=1,
            kit=__version__,
            spark=spark_version(),
            slug=self.answer_key.assignment.slug,
            title=self.answer_key.assignment.title,
            student=self.submission.student,
            submission=self.submission.name,
            sha256=hashlib.sha256(self.submission.content).hexdigest(),
            parameters=self.parameters,
            audience="instructor",
            sandbox="bubblewrap" if self.observer.confined else "none",
            points=round(sum(check.points for check in checks), 2),
            max_points=sum(check.max_points for check in checks),
            checks=tuple(checks),
        )


@dataclass(frozen=True)
class _Failure:
    outcome: Outcome
    message: str
    hint: str
    line: int | None
    evidence: Evidence
    kind: str = ""

    def report(self, check: Check) -> CheckReport:
        return replace(_empty(check, self.outcome, self.message), hint=self.hint, line=self.line, kind=self.kind)


def _failure(
    function: Function, check: Check, fixture: Fixture, expected: tuple[StepOutput, ...], observation: Observation
) -> _Failure | None:
    failure = observation.failure
    if failure:
        outcome, message, hint = explain(function, failure, check, fixture)
        return _Failure(outcome, message, hint, failure.line, evidence.of_failure(fixture, failure), failure.kind)
    difference: Difference | None = compare(function, check.compare, expected, observation)
    if difference is None:
        return None
    found = evidence.of_difference(function, fixture, difference)
    return _Failure(Outcome.FAILED, evidence.sentence(difference, function, fixture), advice(function, check, difference), None, found)


def _empty(check: Check, outcome: Outcome, message: str = "") -> CheckReport:
    return CheckReport(check.id, check.says, check.function, check.hidden, outcome, 0.0, check.points, message)


def undecided(check: Check, text: str) -> CheckReport:
    """The report of a check that a fault of ours kept from being decided."""
    report = _empty(check, Outcome.GRADER_ERROR, f"{FAULT}: {text}")
    return replace(report, hint="Nothing is decided. Tell your instructor.")


def spark_version() -> str:
    """The version of PySpark that grades."""
    try:
        return version("pyspark")
    except PackageNotFoundError:
        return "none"
