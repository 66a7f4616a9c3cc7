"""`autograder demo`, and what long commands tell while they run."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.cli.console import say_progress
from autograder.content.catalog import Catalog
from autograder.grading import batch
from autograder.grading.answer_key import AnswerKey
from autograder.grading.session import Graded, Session
from autograder.submission.locate import HandedIn
from autograder.submission.read import Submission
from tests.conftest import HERE, MIXED
from tests.test_cli import WITH_RECORDS

pytestmark = [pytest.mark.spark, pytest.mark.sandbox, pytest.mark.recorded]


@pytest.fixture
def samples(kit: Path) -> Path:
    """A toy kit with samples: its solution, what is right in parts, and its skeleton."""
    toy, folder = Catalog(kit), kit / "solutions/toy/samples"
    folder.mkdir()
    for name, text in (("right", toy.solution("toy").read_text()), ("half_right", MIXED), ("wrong", toy.skeleton("toy").read_text())):
        (folder / f"{name}.py").write_text(text)
    return kit


def test_demo_in_a_pipe(samples: Path, tmp_path: Path) -> None:
    """The table comes first, then one report in full; the others are named by their files. Progress is for terminals."""
    command = [sys.executable, *WITH_RECORDS, "demo", "toy", "--out", "out"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=os.environ | {"AUTOGRADER_ROOT": str(samples), "PYTHONPATH": str(HERE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()

    assert done.returncode == 0, done.stderr
    assert [line.split() for line in lines[:4]] == [
        ["toy", "right.py", "9", "of", "9", "points", "out/toy/right/report.txt"],
        ["toy", "half_right.py", "4", "of", "9", "points", "out/toy/half_right/report.txt"],
        ["toy", "wrong.py", "0", "of", "9", "points", "out/toy/wrong/report.txt"],
        [],
    ]
    assert [line for line in lines if line.startswith("A toy (toy)")] == ["A toy (toy) · half_right · half_right.py"]
    assert sum(line.endswith("of 9 points") for line in lines) == 1
    assert all((tmp_path / line.split()[-1]).is_file() for line in lines[:3])
    assert len(lines) + len(done.stderr.splitlines()) <= 120
    assert "[" not in done.stderr, done.stderr


PROGRESS = """
from autograder.cli.console import say, say_progress
say_progress("toy, right: it starts", 1, 2)
say_progress("Preparing a cache", 0, 0)
say_progress("toy, right: it\\x07 is right " + 300 * "n", 1, 2)
say_progress("toy, right: it stops", 2, 2)
say("an error", err=True)
"""


@pytest.mark.parametrize("env", [{"TERM": "xterm"}, {"TERM": "xterm", "NO_COLOR": "1"}])
def test_progress_on_a_terminal(env: dict[str, str]) -> None:
    """One line that is drawn again, not longer than the terminal; what is no count stays, and nothing is left of the line at the end."""
    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", PROGRESS], env=os.environ | env | {"COLUMNS": "40"}, stderr=theirs, check=True)
    os.close(theirs)
    printed = "".join(read(ours))

    clear, cut = "\r\x1b[K", "[1/2] toy, right: it\\x07 is right nnnnnnnn"[:39]
    drawn = ["", "[1/2] toy, right: it starts", "Preparing a cache\n", cut, "", "an error\n"]
    assert printed.replace("\r\n", "\n") == clear.join(drawn)


@pytest.mark.parametrize("term", ["dumb", "xterm"])
def test_progress_where_nothing_can_be_drawn(term: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """In a pipe, and on a terminal that cannot: no counts, but what a reader must know."""
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: term == "dumb")

    for done, of in ((1, 2), (2, 2), (0, 0)):
        say_progress(f"{done} of {of}", done, of)

    assert capsys.readouterr() == ("", "0 of 0\n")


def read(descriptor: int) -> Iterator[str]:
    """What was written to a terminal that is closed."""
    with os.fdopen(descriptor, "rb", buffering=0) as terminal:
        while True:
            try:
                data = terminal.read(1 << 12)
            except OSError:  # Linux's word for its end
                return
            if not data:
                return
            yield data.decode()


@pytest.mark.parametrize(("student", "whose"), [("ada", "toy, ada"), ("", "toy, gone.py")])
def test_progress_names_the_submission(toy: AnswerKey, tmp_path: Path, student: str, whose: str) -> None:
    """Several are graded, and on a terminal nothing else says which one it is."""
    told: list[tuple[str, int, int]] = []

    Session(toy, progress=lambda *what: told.append(what)).grade(Submission.read(tmp_path / "gone.py", student=student))

    count = len(toy.assignment.checks)
    assert [(done, of) for _, done, of in told] == [(number, count) for number in range(1, count + 1)]
    assert told[0][0] == f"{whose}: counts starts and runs"
    assert all(text.startswith(f"{whose}: ") for text, _, _ in told)


@pytest.mark.parametrize("together", [True, False])
def test_who_shares_processes(toy: AnswerKey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: bool) -> None:
    """The kit's own samples do; what students have handed in gets processes of its own."""
    used: list[object] = []
    monkeypatch.setattr(batch, "prepare", lambda *_: None)
    monkeypatch.setattr(Session, "grade", lambda _self, submission, observer=None: (used.append(observer), Graded(None, {}))[1])
    files = [HandedIn(name, tmp_path / f"{name}.py") for name in ("ada", "ben")]

    list(batch.grade_all(Session(toy), files, confined=False, together=together))

    assert len(used) == 2
    assert used[0] is used[1]
    assert (used[0] is not None) == together
