"""Hostile submissions, one trick each: every one has the outcome that it says, and has gained nothing.

A file of ``tests/attacks`` says in its head what it tries, which checks are run on it, and their outcomes (PASSED where it names
none). It is put behind a right submission, in a notebook where it has cells ("# %%"). What it must not reach it reports with the
word GAINED.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import select
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from autograder.engines import recorded, spark_replays
from autograder.engines.base import Observed, Observer
from autograder.engines.recorded import Records, is_drawn
from autograder.engines.runtime import Runtime
from autograder.grading.answer_key import AnswerKey
from autograder.grading.redaction import for_student
from autograder.grading.waves import Grading
from autograder.machine.java import find_java
from autograder.machine.paths import short_hash
from autograder.model import Limits, Observation, Outcome, Report, Request
from autograder.reports import json_report, junit, terminal
from autograder.sandbox import bubblewrap
from autograder.submission.read import Submission
from tests.conftest import HERE, SOAK, notebook
from tests.test_cli import RIGHT
from tests.with_records import RECORDS, commit

ROOT = HERE.parent
ATTACKS = sorted((HERE / "attacks").glob("*.py"))
pytestmark = [
    pytest.mark.spark,
    pytest.mark.sandbox,
    pytest.mark.recorded,
    pytest.mark.soak,
    pytest.mark.skipif(bool(bubblewrap.obstacle()), reason=f"nothing can be confined here: {bubblewrap.obstacle()}"),
]
#: Seconds for a check of a plain function here, the same for an attack that uses them up, and within which a child that does not
#: answer any more is given up.
_TIME_LIMIT, _USED_UP, _GRACE = 30, 10, 20
#: Of so many attacks that have a record one is made again, others for another commit. A change of what replays or confines makes all again.
ONE_IN = 10
#: Characters of what an attack came to that a file of records takes.
_LONGEST_RECORD = 100_000
_LIMITS = Limits(memory=3000, process_memory=1000, processes=400, scratch=150)


def head(path: Path) -> dict[str, str]:
    """What a file says of itself."""
    return dict(re.findall(r"(?m)^# (attack|checks|outcome|alone): (.*)$", path.read_text()))


def assert_nothing_gained(report: Report, path: Path) -> None:
    """Checks have the outcomes that an attack's head says, and the points of these; nothing that it must not reach was reached."""
    named = dict(pair.split("=") for pair in head(path)["outcome"].split(", "))

    assert {check.id: check.outcome.value for check in report.checks} == {
        check.id: named.get(check.id, Outcome.PASSED.value) for check in report.checks
    }, [check.message for check in report.checks]
    assert "GAINED" not in json_report.to_json(report)
    assert report.points == sum(check.max_points for check in report.checks if check.outcome is Outcome.PASSED)


def command_lines() -> dict[int, bytes]:
    """Those of all processes, by process."""
    lines = {}
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            lines[int(path.parent.name)] = path.read_bytes()
    return lines


def sandboxes() -> list[int]:
    """Processes of sandboxes in which something replays."""
    return [pid for pid, line in command_lines().items() if b"bwrap" in line and b"autograder.untrusted" in line]


class Noting:
    """Has requests replayed, and notes what was observed by its key."""

    def __init__(self, replays: Observer) -> None:
        self.replays, self.confined = replays, replays.confined
        self.seen: dict[str, Observation] = {}
        self.complete = True

    @property
    def can_be_kept(self) -> bool:
        """Whether all of it was observed, and is not too large for a file of records."""
        return self.complete and len(repr(self.seen)) < _LONGEST_RECORD

    def observe(self, requests: Sequence[Request]) -> Iterator[Observed]:
        """What the replays observe."""
        for request, found in self.replays.observe(requests):
            self.complete = self.complete and isinstance(found, Observation)
            if isinstance(found, Observation):
                self.seen[recorded.key_of(request)] = replace(found, seconds=0.0)
            yield request, found


class Seen:
    """Answers with what was noted of all requests of an attack."""

    confined = True

    def __init__(self, noted: Mapping[str, Observation]) -> None:
        self.noted = noted

    def observe(self, requests: Sequence[Request]) -> Iterator[Observed]:
        """What was observed then."""
        return ((request, self.noted[recorded.key_of(request)]) for request in requests)


def key_of(path: Path) -> str:
    """An attack's name and text."""
    return f"{path.stem} {short_hash([path.read_text()])}"


def confining_code() -> str:
    """One word for what decides how an attack ends: the code that replays and that confines, and the toy."""
    files = [ROOT / "autograder/engines/runtime.py", *sorted((ROOT / "autograder/sandbox").glob("*.py"))]
    files += sorted(path for path in (HERE / "kit").rglob("*") if path.suffix in {".py", ".toml", ".jsonl"})
    texts = [path.read_text() for path in files]
    texts += [RIGHT, str((_LIMITS, _TIME_LIMIT, _USED_UP))]
    return short_hash([recorded.code_hash(), *texts])


def kept(request: pytest.FixtureRequest, name: str, code: str, attacks: Sequence[Path]) -> Iterator[Records[dict[str, Observation]]]:
    """What attacks came to, of each all replays. Their heads name the outcome, so that none that a busy machine brings about is kept."""
    found = Records(RECORDS / f"{name}.jsonl", TypeAdapter(dict[str, Observation]), code)
    yield found
    if request.config.getoption("--prove") or request.config.getoption("--record"):
        found.write(set(map(key_of, attacks)))


@pytest.fixture(scope="module")
def records(request: pytest.FixtureRequest) -> Iterator[Records[dict[str, Observation]]]:
    """What the attacks came to."""
    yield from kept(request, "attacks", confining_code(), ATTACKS)


@pytest.fixture(scope="module")
def confined() -> Iterator[list[Runtime]]:
    """Three sandboxes as `grade` makes them, each with a Spark."""
    sandbox = bubblewrap.sandbox(find_java(), _LIMITS)
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(Runtime(sandbox=sandbox)) for _ in range(3)]


@pytest.fixture(scope="module")
def reports(
    request: pytest.FixtureRequest,
    toy: AnswerKey,
    confined: list[Runtime],
    records: Records[dict[str, Observation]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, Future[Report]]]:
    """The reports of all attacks, three at a time: of those that have no record, and of one in ten that have one.

    A student's submission has a sandbox and a Spark to itself. Here one attack follows the other in each of three, which saves
    minutes and asks for more: what an attack leaves behind must not touch the next one. Those that say "alone" in their head, and
    why, have their own.
    """
    spark_replays.prepare(lambda text, _done, _of: print(text))
    folder = tmp_path_factory.mktemp("attacks")
    (folder / "another_student.py").write_text("secret = 1\n")
    answer_key = replace(toy, assignment=replace(toy.assignment, limits=_LIMITS))
    again = request.config.getoption("--prove") or SOAK
    free: queue.SimpleQueue[Runtime] = queue.SimpleQueue()
    for each in confined:
        free.put(each)

    @contextlib.contextmanager
    def runtime(path: Path) -> Iterator[Runtime]:
        if "alone" in head(path):
            with Runtime(sandbox=confined[0].sandbox) as own:
                yield own
            return
        shared = free.get()
        try:
            yield shared
        finally:
            free.put(shared)

    def grade(path: Path, port: int) -> Report:
        wanted = head(path)["checks"].split(", ")
        time_limit = _USED_UP if "TIMEOUT" in head(path)["outcome"] else _TIME_LIMIT
        beside = {"counts_runs"} if len(wanted) > 1 else set()  # what uses everything up need not show each time that others get their own
        checks = [check for check in toy.assignment.checks if check.id in {*wanted, *beside}]
        checks = [replace(check, time_limit=time_limit) if check.function == "double" else check for check in checks]
        text = path.read_text().replace("HOST_PORT", str(port))
        cells = text.split("# %%\n")
        submission = folder / (path.stem + (".ipynb" if cells[1:] else ".py"))
        submission.write_text(notebook(RIGHT, *cells[1:]) if cells[1:] else RIGHT + "\n\n" + text)
        key = key_of(path)
        noted = None if again or is_drawn(key, commit(), ONE_IN) else records.get(key)
        if noted:
            return Grading(answer_key, Submission.read(submission), {"least": 1}, Seen(noted)).report(checks)
        with runtime(path) as engine:
            noting = Noting(engine)
            report = Grading(answer_key, Submission.read(submission), {"least": 1}, noting).report(checks)
        assert_nothing_gained(report, path)
        if noting.can_be_kept and "HOST_PORT" not in path.read_text():
            records.put(key, noting.seen)
        return report

    with contextlib.ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(spark_replays, "_GRACE", _GRACE)
        patch.setenv("COURSE_SECRET", "course-secret")
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        pool = stack.enter_context(ThreadPoolExecutor(3))
        chosen = [path for path in ATTACKS if any(f"[{path.stem}]" in item.name for item in request.session.items)]
        yield {path.stem: pool.submit(grade, path, server.getsockname()[1]) for path in chosen}


@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: path.stem)
def test_an_attack_gains_nothing(reports: dict[str, Future[Report]], path: Path) -> None:
    """It gets its outcome, the checks beside it pass, and nothing that it must not know is in any report."""
    report = reports[path.stem].result()
    student = for_student(report)

    assert_nothing_gained(report, path)
    for writer in (terminal.to_text, json_report.to_json, junit.to_junit):
        text = writer(student)
        assert "zanzibar" not in text
        assert "\x1b" not in text
    assert "<script>" not in junit.to_junit(report)


def test_no_process_is_left(reports: dict[str, Future[Report]], confined: list[Runtime]) -> None:
    """Whatever attacks have started has ended with their sandboxes."""
    for found in reports.values():
        found.result()
    for each in confined:
        each.close()

    for pid in sandboxes():  # the kernel ends what is left of a sandbox, but does not wait for it
        with contextlib.suppress(ProcessLookupError):
            ending = os.pidfd_open(pid)
            assert select.select([ending], [], [], 20)[0], pid
            os.close(ending)
    assert sandboxes() == []


@pytest.mark.parametrize("kind", ["fifo", "link"])
def test_what_is_no_file_is_no_submission(kind: str, tmp_path: Path) -> None:
    """A pipe would be waited for, and a link could name the solution: neither is read."""
    path = tmp_path / "toy.py"
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(HERE / "kit" / "solutions" / "toy" / "solution.py")

    found = Submission.read(path)

    assert found.content == b""
    assert found.failure
    assert found.failure.kind == "not_a_file"


def test_heads() -> None:
    """Every file says what it tries, and there are as many as promised."""
    assert len(ATTACKS) >= 30
    assert all({*head(path), "alone"} == {"attack", "checks", "outcome", "alone"} for path in ATTACKS)


def test_a_python_that_was_found_by_a_link_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A virtual environment's Python may be a link to a link in a folder that a sandbox does not show."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    (tmp_path / "python").symlink_to("bin/python3")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))

    command = bubblewrap.sandbox(find_java(), _LIMITS).command([sys.executable, "-c", "print('runs')"])

    assert subprocess.run(command, capture_output=True, text=True, check=False).stdout == "runs\n"
