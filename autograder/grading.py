"""One submission to one report: plan the replays, judge what comes back, never fail open."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from autograder import __version__, expectation, notebook, precomputed
from autograder.catalog import Catalog, parameters_for
from autograder.engine import Engine
from autograder.fixtures import read_fixture
from autograder.judge import evidence
from autograder.judge.compare import compare
from autograder.judge.diagnose import Case, diagnose
from autograder.judge.messages import MESSAGES, explain, kind_of_error
from autograder.model import (
    Assignment,
    Check,
    CheckReport,
    Difference,
    Evidence,
    Expectation,
    Fixture,
    Function,
    GraderFaultError,
    KitError,
    Observation,
    Outcome,
    Report,
    Request,
    StepOutput,
    Trouble,
    Value,
)
from autograder.notebook import Program

_MOST_BYTES = 1_000_000
#: A notebook carries its outputs too, pictures among them; its code has a limit of its own.
_NOTEBOOK_TIMES = 20
#: Told after every check: the check, how many are done, how many there are.
Progress = Callable[[str, int, int], None]
_Key = tuple[str, str, tuple[tuple[str, Value], ...], int]


@dataclass(frozen=True)
class Course:
    """An assignment with all that is needed to judge it. ``seeds`` are a variant's, by fixture."""

    catalog: Catalog
    assignment: Assignment
    expectation: Expectation
    seeds: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def load(cls, catalog: Catalog, slug: str) -> Course:
        """Read manifest and expectation (in a release, its answers). Raises KitError when one is refused."""
        assignment, path, answers = catalog.assignment(slug), catalog.expectation(slug), catalog.answers(slug)
        if answers.is_file() and not path.is_file():
            return cls(catalog, assignment, precomputed.load(answers, assignment.functions))
        return cls(catalog, assignment, expectation.load(path))

    def values(self, parameters: Mapping[str, Value], given: Mapping[str, str]) -> dict[str, Value]:
        """The parameters to grade with: these, but what was given instead.

        Raises KitError for what does not fit, and in a release for what it has no answers for.
        """
        values, released = parameters_for(self.assignment, parameters, given), self.expectation.released
        if released is None:
            return values
        if values != released:
            has = ", ".join(f"{name} = {value}" for name, value in released.items())
            raise KitError(f"This release of {self.assignment.slug} has no answers for these parameters.", f"It has them for {has}.")
        for check in self.assignment.checks:
            for fixture in self.fixtures(check, values):
                self.expected(check, fixture, values)
        return values

    def function(self, check: Check) -> Function:
        """The function that a check is about."""
        return self.assignment.functions[check.function]

    def fixtures(self, check: Check, parameters: dict[str, Value]) -> tuple[Fixture, ...]:
        """The fixtures of a check, filled in."""
        values = {**parameters, **check.parameters}
        slug = self.assignment.slug
        return tuple(read_fixture(self.catalog.fixture(slug, name), values, self.seeds.get(name, 0)) for name in check.fixtures)

    def expected(self, check: Check, fixture: Fixture, parameters: dict[str, Value]) -> tuple[StepOutput, ...]:
        """What a right program emits."""
        values = {**parameters, **check.parameters}
        function = self.function(check)
        return tuple(self.expectation.emits[check.function](fixture, **{name: values[name] for name in function.parameters}))


@dataclass(frozen=True)
class Submission:
    """A file as it was handed in: a module, or a notebook. ``name`` is what reports call it, ``program`` what is replayed of it."""

    path: Path
    name: str
    content: bytes
    program: Program

    @property
    def trouble(self) -> Trouble | None:
        """What is wrong with the file itself."""
        return self.program.trouble

    @classmethod
    def read(cls, path: Path, name: str | None = None, functions: Set[str] = frozenset()) -> Submission:
        """Read a file without running it; what is wrong with it becomes its trouble.

        ``functions`` are the names that the assignment asks for; in a notebook their cells are taken whole.
        """
        is_notebook = path.suffix == notebook.SUFFIX
        most = _MOST_BYTES * (_NOTEBOOK_TIMES if is_notebook else 1)
        try:
            content = _content(path, most)
        except OSError:
            return cls(path, name or path.name, b"", Program(trouble=Trouble("missing", text=path.name)))
        if content is None:
            return cls(path, name or path.name, b"", Program(trouble=Trouble("not_a_file", text=path.name)))
        if len(content) > most:
            return cls(path, name or path.name, b"", _too_big(most))
        found = notebook.read(content, functions) if is_notebook else _module(content)
        return cls(path, name or path.name, content, found if len(found.text) <= _MOST_BYTES else _too_big(_MOST_BYTES))


def _too_big(most: int) -> Program:
    return Program(trouble=Trouble("too_big", text=f"{most // 1_000_000} MB"))


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
        return Program(trouble=Trouble("not_utf8", text=f"byte {error.start + 1}", line=line))
    return Program(text, trouble=None if text.strip() else Trouble("empty"))


def _regular(path: str, flags: int) -> int:
    """Open without following a link or waiting for a pipe, whatever the file has become meanwhile."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


class Grading:
    """The grading of one submission on one engine: replays are shared by the checks that need the same one."""

    def __init__(self, course: Course, submission: Submission, parameters: dict[str, Value], engine: Engine) -> None:
        self.course, self.submission, self.parameters, self.engine = course, submission, parameters, engine
        self.seen: dict[_Key, Observation | GraderFaultError] = {}
        self.reports: dict[str, CheckReport] = {}
        self.began = time.monotonic()

    def report(self, checks: Sequence[Check], progress: Progress | None = None) -> Report:
        """Grade the given checks, the visible ones first.

        What a submission prints in a visible check is shown to students, and whatever has replayed a hidden fixture may know it.
        """
        for hidden in (False, True):
            self._report([check for check in checks if check.hidden is hidden], len(checks), progress)
        return self._whole([self.reports[check.id] for check in checks])

    def _report(self, checks: Sequence[Check], of: int, progress: Progress | None) -> None:
        """In waves: a check is replayed once those that it needs have passed."""
        waiting = list(checks)
        while waiting:
            ready = [check for check in waiting if all(need in self.reports for need in check.needs)]
            for check in ready or waiting:
                self._skip(check)
            self._replay([check for check in ready if check.id not in self.reports])
            for check in ready:
                self.reports.setdefault(check.id, self._judge(check)) if check.id not in self.reports else None
                if progress:
                    progress(check.says, len(self.reports), of)
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
        if self.submission.trouble:
            return
        requests: dict[_Key, Request] = {}
        source, limits = self.submission.program.text, self.course.assignment.limits
        for check in checks:
            values = {**self.parameters, **check.parameters}
            for fixture in self.course.fixtures(check, self.parameters):
                request = Request(source, self.course.function(check), fixture, values, check.time_limit, limits)
                requests.setdefault(self._key(check, fixture), request)
        if time.monotonic() - self.began > limits.submission_time:
            over = Observation(trouble=Trouble("submission_time", text=str(limits.submission_time)))
            self.seen = {**dict.fromkeys(requests, over), **self.seen}
        todo = {id(request): key for key, request in requests.items() if key not in self.seen}
        for request, found in self.engine.observe([requests[key] for key in todo.values()]):
            self.seen[todo[id(request)]] = found

    def _key(self, check: Check, fixture: Fixture) -> _Key:
        values = {**self.parameters, **check.parameters}
        return (check.function, fixture.name, tuple(sorted(values.items())), check.time_limit)

    def _judge(self, check: Check) -> CheckReport:
        try:
            return self._placed(self._judged(check))
        except GraderFaultError as fault:
            return _fault(check, str(fault))
        except Exception as fault:  # noqa: BLE001  # whatever fails in judging is our fault and gives no marks
            return _fault(check, f"{type(fault).__name__}: {fault}")

    def _placed(self, report: CheckReport) -> CheckReport:
        """The report with a line of the module as the notebook's cell and line."""
        places = self.submission.program.places
        if report.line is None or not 0 < report.line <= len(places):
            return report
        place = places[report.line - 1]
        return replace(report, line=place.line, cell=place.cell)

    def _judged(self, check: Check) -> CheckReport:
        function = self.course.function(check)
        values = {**self.parameters, **check.parameters}
        cases, failures = [], []
        fixtures = self.course.fixtures(check, self.parameters)
        printed = ""
        for fixture in fixtures:
            observation = self._observation(check, fixture)
            printed = printed or observation.printed
            expected = self.course.expected(check, fixture, self.parameters)
            failure = _failure(function, check, fixture, expected, observation)
            if failure:
                cases.append(Case(fixture, values, expected, observation))
                failures.append(failure)
        if not failures:
            return replace(_empty(check, Outcome.PASSED), points=float(check.points), printed=printed)
        passed = len(fixtures) - len(failures)
        first = failures[0]
        mistake = diagnose(function, self.course.expectation.mistakes.get(function.name, ()), cases)
        return replace(
            first.report(check),
            points=round(check.points * passed / len(fixtures), 2) if check.partial else 0.0,
            mistake=mistake.id if mistake else "",
            diagnosis=mistake.says if mistake else "",
            evidence=tuple(failure.evidence for failure in failures),
            printed=printed,
        )

    def _observation(self, check: Check, fixture: Fixture) -> Observation:
        if self.submission.trouble:
            return Observation(trouble=self.submission.trouble)
        found = self.seen[self._key(check, fixture)]
        if isinstance(found, GraderFaultError):
            raise found
        if found.trouble and found.trouble.kind not in MESSAGES:
            return Observation(trouble=Trouble("broken_observation"))
        if found.trouble and found.trouble.kind == "no_function" and self.submission.program.broken:
            return Observation(trouble=self.submission.program.broken)
        return found

    def _whole(self, checks: list[CheckReport]) -> Report:
        return Report(
            version=1,
            kit=__version__,
            spark=spark_version(),
            slug=self.course.assignment.slug,
            title=self.course.assignment.title,
            submission=self.submission.name,
            sha256=hashlib.sha256(self.submission.content).hexdigest(),
            parameters=self.parameters,
            audience="instructor",
            sandbox="bubblewrap" if self.engine.confined else "none",
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
    trouble = observation.trouble
    if trouble:
        outcome, message, hint = explain(function, trouble)
        return _Failure(outcome, message, hint, trouble.line, evidence.of_trouble(fixture, trouble), trouble.kind)
    difference: Difference | None = compare(function, check.compare, expected, observation)
    if difference is None:
        return None
    found = evidence.of_difference(function, fixture, difference)
    return _Failure(Outcome.FAILED, evidence.sentence(difference), check.hints[0], None, found)


def _empty(check: Check, outcome: Outcome, message: str = "") -> CheckReport:
    return CheckReport(check.id, check.says, check.function, check.hidden, outcome, 0.0, check.points, message)


def _fault(check: Check, text: str) -> CheckReport:
    report = _empty(check, Outcome.GRADER_ERROR, f"The grader failed, not your program: {text}")
    return replace(report, hint="Nothing is decided. Tell your instructor.")


def for_student(report: Report) -> Report:
    """The report as a student may see it: of hidden checks the name, the outcome, the points and the kind of error, no more."""
    checks = tuple(_without_data(check) if check.hidden else check for check in report.checks)
    return replace(report, audience="student", checks=checks)


def _without_data(check: CheckReport) -> CheckReport:
    message = check.message if check.outcome is Outcome.SKIPPED else kind_of_error(check.function, check.kind)
    return CheckReport(check.id, check.says, check.function, True, check.outcome, check.points, check.max_points, message, kind=check.kind)


def spark_version() -> str:
    """The version of PySpark that grades."""
    try:
        return version("pyspark")
    except PackageNotFoundError:
        return "none"
