"""Hostile submissions, one trick each: every one has the outcome that it says, and has gained nothing.

A file of ``tests/attacks`` says in its head what it tries, which checks are run on it, and their outcomes (PASSED where it names
none). It is put behind a right submission, in a notebook where it has cells ("# %%"). What it must not reach it reports with the
word GAINED.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.engines import spark_replays
from autograder.engines.runtime import Runtime
from autograder.grading.answer_key import AnswerKey
from autograder.grading.redaction import for_student
from autograder.grading.waves import Grading
from autograder.machine.java import find_java
from autograder.model import Limits, Outcome, Report
from autograder.reports import json_report, junit, terminal
from autograder.sandbox import bubblewrap
from autograder.submission.read import Submission
from tests.conftest import HERE, notebook
from tests.test_cli import RIGHT

ATTACKS = sorted((HERE / "attacks").glob("*.py"))
pytestmark = [
    pytest.mark.spark,
    pytest.mark.sandbox,
    pytest.mark.skipif(bool(bubblewrap.obstacle()), reason=f"nothing can be confined here: {bubblewrap.obstacle()}"),
]
#: Seconds for a check of a plain function here, and within which a child that does not answer any more is given up.
_TIME_LIMIT, _GRACE = 30, 20
_LIMITS = Limits(memory=3000, process_memory=1000, processes=400, scratch=150)


def head(path: Path) -> dict[str, str]:
    """What a file says of itself."""
    lines = path.read_text().splitlines()[:3]
    return dict(line.removeprefix("# ").split(": ", 1) for line in lines)


def assert_nothing_gained(report: Report, path: Path) -> None:
    """Checks have the outcomes that an attack's head says, and the points of these; nothing that it must not reach was reached."""
    named = dict(pair.split("=") for pair in head(path)["outcome"].split(", "))

    assert {check.id: check.outcome.value for check in report.checks} == {
        check.id: named.get(check.id, Outcome.PASSED.value) for check in report.checks
    }, [check.message for check in report.checks]
    assert "GAINED" not in json_report.to_json(report)
    assert report.points == sum(check.max_points for check in report.checks if check.outcome is Outcome.PASSED)


def command_lines() -> list[bytes]:
    """Those of all processes."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            lines.append(path.read_bytes())
    return lines


@pytest.fixture(scope="module")
def reports(toy: AnswerKey, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Report]]]:
    """The reports of all attacks, each graded as `grade` does: in a sandbox and on a Spark of its own, three at a time."""
    spark_replays.prepare(lambda text, _done, _of: print(text))
    folder = tmp_path_factory.mktemp("attacks")
    (folder / "another_student.py").write_text("secret = 1\n")
    sandbox = bubblewrap.sandbox(find_java(), _LIMITS)

    def grade(path: Path, port: int) -> Report:
        wanted = head(path)["checks"].split(", ")
        checks = [check for check in toy.assignment.checks if check.id in {*wanted, "counts_runs"}]
        checks = [replace(check, time_limit=_TIME_LIMIT) if check.function == "double" else check for check in checks]
        text = path.read_text().replace("HOST_PORT", str(port))
        cells = text.split("# %%\n")
        submission = folder / (path.stem + (".ipynb" if cells[1:] else ".py"))
        submission.write_text(notebook(RIGHT, *cells[1:]) if cells[1:] else RIGHT + "\n\n" + text)
        answer_key = replace(toy, assignment=replace(toy.assignment, limits=_LIMITS))
        with Runtime(sandbox=sandbox) as confined:
            return Grading(answer_key, Submission.read(submission), {"least": 1}, confined).report(checks)

    with pytest.MonkeyPatch.context() as patch, socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(3) as pool:
        patch.setattr(spark_replays, "_GRACE", _GRACE)
        patch.setenv("COURSE_SECRET", "course-secret")
        yield {path.stem: pool.submit(grade, path, server.getsockname()[1]) for path in ATTACKS}


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


def test_no_process_is_left(reports: dict[str, Future[Report]]) -> None:
    """Whatever attacks have started has ended with them."""
    for found in reports.values():
        found.result()

    assert [command for command in command_lines() if b"bwrap" in command and b"autograder.untrusted" in command] == []


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
    assert all(set(head(path)) == {"attack", "checks", "outcome"} for path in ATTACKS)


def test_a_python_that_was_found_by_a_link_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A virtual environment's Python may be a link to a link in a folder that a sandbox does not show."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    (tmp_path / "python").symlink_to("bin/python3")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))

    command = bubblewrap.sandbox(find_java(), _LIMITS).command([sys.executable, "-c", "print('runs')"])

    assert subprocess.run(command, capture_output=True, text=True, check=False).stdout == "runs\n"
