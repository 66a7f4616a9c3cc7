"""What judges a submission is bounded: beyond a bound it is that submission's outcome, and the run goes on."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.grading import session as sessions
from autograder.grading.answer_key import AnswerKey
from autograder.grading.apart import Bounds, EndedError, ExceededError, apart
from autograder.grading.session import Graded, Session
from autograder.grading.waves import Grading
from autograder.machine.java import Java
from autograder.model import CheckReport, KitError, Outcome
from autograder.sandbox.bubblewrap import Sandbox
from autograder.submission.read import Submission
from autograder.wire import Limits

_Tell = Callable[[object], None]


def test_the_result_comes_back_with_what_was_told() -> None:
    heard: list[object] = []

    def work(tell: _Tell) -> int:
        tell((1, "one"))
        return os.getpid()

    assert apart(work, heard.append, Bounds()) != os.getpid()
    assert heard == [(1, "one")]


def _fill(_: _Tell) -> None:
    kept = [bytearray(10_000_000) for _ in range(100)]
    time.sleep(60 + len(kept))


def _burn(_: _Tell) -> None:
    for _number in itertools.count():
        pass


@pytest.mark.parametrize(
    ("work", "bounds", "kind"),
    [
        (_fill, Bounds(memory=300), "too_much_to_judge"),
        (_burn, Bounds(processor=0.5), "too_much_to_judge"),
        (lambda tell: tell(b"x" * 2_000_000), Bounds(told=1), "too_much_to_judge"),
        (lambda _: time.sleep(60), Bounds(wall=0.2), "submission_time"),
    ],
)
def test_work_beyond_a_bound_is_ended(work: Callable[[_Tell], None], bounds: Bounds, kind: str) -> None:
    with pytest.raises(ExceededError, match=kind):
        apart(work, lambda _: None, bounds)


def test_a_fault_and_an_error_for_the_reader_come_through() -> None:
    def refuse(_: _Tell) -> None:
        raise KitError("what", "how")

    def fail(_: _Tell) -> None:
        raise ValueError("a fault")

    with pytest.raises(KitError, match="what\nhow"):
        apart(refuse, lambda _: None, Bounds())
    with pytest.raises(EndedError, match="ValueError: a fault"):
        apart(fail, lambda _: None, Bounds())
    with pytest.raises(EndedError, match="has ended"):
        apart(lambda _: os.kill(os.getpid(), signal.SIGKILL), lambda _: None, Bounds())


def test_it_ends_with_whoever_started_it(tmp_path: Path) -> None:
    program = f"""
import os, time
from autograder.grading.apart import Bounds, apart
def work(tell):
    open({str(tmp_path / "pid")!r}, "w").write(str(os.getpid()))
    tell(1)
    time.sleep(100)
apart(work, lambda told: os.kill(os.getpid(), 9), Bounds())
"""
    subprocess.run([sys.executable, "-c", program], check=False, timeout=60)
    pid = int((tmp_path / "pid").read_text())
    for _ in range(500):
        if not Path(f"/proc/{pid}").exists():
            return
        time.sleep(0.01)
    pytest.fail("it still runs")


@pytest.fixture
def confined(toy: AnswerKey) -> Session:
    return Session(toy, sandbox=Sandbox(Path("/none"), Java(Path("/none"), "25"), Limits()))


def _reported(session: Session, monkeypatch: pytest.MonkeyPatch, grade: Callable[..., object], tmp_path: Path) -> Graded:
    """Graded with something else in place of ``Grading.report`` where it is apart."""
    here, original = os.getpid(), Grading.report

    def either(*what: Any) -> object:
        return (original if os.getpid() == here else grade)(*what)

    monkeypatch.setattr(Grading, "report", either)
    monkeypatch.setattr(sessions, "Bounds", lambda wall: Bounds(memory=300, wall=wall))
    path = tmp_path / "toy.py"
    path.write_text("x = 1\n")
    return session.grade(Submission.read(path, student="eve"))


def test_checks_that_were_judged_stand_and_the_others_have_the_outcome(
    confined: Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first, *rest = confined.answer_key.assignment.checks
    passed = CheckReport(first.id, first.says, first.function, first.hidden, Outcome.PASSED, float(first.points), first.points)

    def swell(_: Grading, __: object, judged: Callable[..., None]) -> None:
        judged(passed, 1, 1 + len(rest))
        _fill(lambda _: None)

    report = _reported(confined, monkeypatch, swell, tmp_path).report

    assert report.checks[0] == passed
    assert {check.outcome for check in report.checks[1:]} <= {Outcome.TOO_MUCH_OUTPUT, Outcome.SKIPPED}
    assert "To judge what came back takes more memory" in report.checks[1].message


def test_a_process_that_dies_decides_nothing(confined: Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    report = _reported(confined, monkeypatch, die, tmp_path).report

    assert not report.decided
    assert {check.outcome for check in report.checks} == {Outcome.GRADER_ERROR}
