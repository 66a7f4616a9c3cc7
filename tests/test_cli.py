"""The command line as its users meet it: help with examples, exit codes, no terminal needed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from autograder.cli.main import main
from autograder.engines.base import Observer
from autograder.grading import batch
from autograder.grading.session import Graded, Session
from autograder.model import Report
from autograder.sandbox import bubblewrap
from tests.conftest import HERE, UNCONFINED

pytestmark = [pytest.mark.spark, pytest.mark.sandbox, pytest.mark.recorded]

RIGHT = (
    "from pyspark.sql import functions as F\n\n\ndef counts(views, least):\n"
    "    return views.groupBy('page').agg(F.count('*').alias('views')).where(F.col('views') >= least)\n\n\n"
    "def words(lines):\n    return lines.map(lambda line: (line, 1)).reduceByKey(lambda a, b: a + b)\n\n\n"
    "def double(number):\n    return 2 * number\n"
)


#: How a command is run with records before who replays.
WITH_RECORDS = ("-m", "tests.with_records", "autograder")


def run(*arguments: str, cwd: Path, real: bool = False, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder, on the toy kit, with pipes for a terminal; ``real``: without records."""
    environment = dict(os.environ, AUTOGRADER_ROOT=str(HERE / "kit"), PYTHONPATH=str(HERE.parent), **env)
    command = [sys.executable, *(("-m", "autograder") if real else WITH_RECORDS), *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_verb_has_help_with_an_example(name: str) -> None:
    """--help shows how the verb is used."""
    command = main.commands[name]

    assert isinstance(command, click.Command)
    assert f"autograder {name}" in (command.epilog or ""), name


def test_check_and_strict(tmp_path: Path) -> None:
    """Check finds SLUG.py here, says what is wrong and exits 0; with --strict a failing check is an exit code."""
    (tmp_path / "toy.py").write_text(RIGHT.replace("2 * number", "number"))

    plain = run("check", "toy", cwd=tmp_path)
    strict = run("check", "toy", "--strict", cwd=tmp_path, NO_COLOR="1")

    assert (plain.returncode, strict.returncode) == (0, 1), plain.stderr
    assert "✘ double doubles" in plain.stdout
    assert "→ 1  ask 1" in plain.stdout
    assert "hidden" in plain.stdout
    assert "\x1b" not in plain.stdout + strict.stdout
    assert plain.stderr == ""


def test_grade_writes_reports(tmp_path: Path) -> None:
    """Grade exits 0 whatever the marks, and every submission gets its files, also where two have one name."""
    for name, text in {"alice": RIGHT, "bob": "x = "}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "toy.py").write_text(text)

    done = run("grade", "toy", "alice/toy.py", "bob/toy.py", "nobody/toy.py", "--quiet", *UNCONFINED, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["alice: 9 of 9 points", "bob: 0 of 9 points", "nobody: 0 of 9 points"]
    folder = tmp_path / "graded" / "toy" / "alice"
    assert {path.name for path in folder.iterdir()} == {"report.json", "instructor.json", "report.txt", "junit.xml", "timings.json"}
    assert [json.loads((folder / "report.json").read_text())[name] for name in ("points", "student", "submission")] == [
        9,
        "alice",
        "toy.py",
    ]


@pytest.mark.skipif(bool(UNCONFINED), reason="nothing can be confined here")
def test_grade_confines(tmp_path: Path) -> None:
    """What grade runs is confined unless it is told not to; both stands in the report."""
    (tmp_path / "toy.py").write_text(RIGHT)
    texts = {}
    for sandbox in ("bubblewrap", "none"):
        done = run("grade", "toy", "toy.py", "--sandbox", sandbox, cwd=tmp_path, real=sandbox != "none")
        assert done.returncode == 0, done.stderr
        assert json.loads((tmp_path / f"graded/toy/{tmp_path.name}/report.json").read_text())["sandbox"] == sandbox
        texts[sandbox] = done.stdout

    assert "Graded without confinement (--sandbox none)." in texts["none"]
    assert "confinement" not in texts["bubblewrap"]


def test_grade_refuses_where_nothing_can_be_confined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that forbids it is no reason to run strangers' programs plainly; nothing is graded."""
    (tmp_path / "toy.py").write_text(RIGHT)
    monkeypatch.setattr(bubblewrap, "_found", lambda: (Path("bwrap"), (), "the kernel forbids it"))
    monkeypatch.setenv("AUTOGRADER_ROOT", str(HERE / "kit"))

    done = CliRunner().invoke(main, ["grade", "toy", str(tmp_path / "toy.py"), "--out", str(tmp_path / "graded")])

    assert done.exit_code == 2
    assert "Submissions cannot be confined here: the kernel forbids it." in done.output
    assert "--sandbox none" in done.output
    assert not (tmp_path / "graded").exists()


def test_doctor_says_what_is_missing_and_how_to_fix_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every finding that is not good has a line that says what to do; exit code 1 when grade cannot work."""
    monkeypatch.setattr(bubblewrap, "obstacle", lambda: "No permissions to create a new namespace")
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path))

    done = CliRunner().invoke(main, ["doctor"])

    assert done.exit_code == 1
    lines = done.output.splitlines()
    assert {line.split()[1] for line in lines if line[0] == "✘"} == {"class", "sandbox", "Kafka"}
    for number, line in enumerate(lines):
        assert line[0] != "✘" or lines[number + 1].startswith("   "), line
    assert "No permissions to create a new namespace" in done.output
    assert "`autograder warm` fetches them" in done.output


def test_doctor_on_a_machine_that_has_all(engine: Observer) -> None:
    """Where gradings work, it finds Java, its class cache and memory, and exits with 0."""
    done = CliRunner().invoke(main, ["doctor"])

    assert done.exit_code == (1 if UNCONFINED else 0)
    for name in ("Java", "class cache", "cores", "scratch"):
        assert f"✔ {name}" in done.output


def test_nothing_of_the_path_is_used(tmp_path: Path) -> None:
    """Java and Spark's Python workers are the environment's own, also where the PATH has neither."""
    (tmp_path / "toy.py").write_text(RIGHT)

    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "chmod").symlink_to(shutil.which("chmod") or "/bin/chmod")  # Hadoop's only wish

    done = run("check", "toy", "--strict", cwd=tmp_path, real=True, PATH=str(tmp_path / "bin"))

    assert done.returncode == 0, done.stdout


def test_a_fault_of_ours_is_no_zero(tmp_path: Path) -> None:
    """When the grader cannot run, no marks are decided and the exit code says so."""
    (tmp_path / "toy.py").write_text(RIGHT)
    broken = tmp_path / "java"
    (broken / "bin").mkdir(parents=True)
    (broken / "release").write_text('JAVA_VERSION="21.0.1"\n')
    (broken / "bin" / "java").write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    (broken / "bin" / "java").chmod(0o755)

    done = run(
        "grade", "toy", "toy.py", *UNCONFINED, cwd=tmp_path, real=True, JAVA_HOME=str(broken), AUTOGRADER_CACHE=str(tmp_path / "cache")
    )

    assert done.returncode == 3, done.stderr
    assert "The grader failed, not your program" in done.stdout
    assert "No marks are decided" in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("check", "nothing"), "There is no assignment called 'nothing'.\nKnown assignments: toy."),
        (("check", "toy", "-p", "least"), "--param wants NAME=VALUE."),
        (("check", "toy", "-p", "least=x"), "least='x' does not fit this parameter."),
        (("check", "toy", "nowhere.py"), "There is no file nowhere.py.\nGive the path of your file"),
        (("grade", "toy", "a.py", "./a.py"), "a.py and a.py are both of a.\nName every student's submission once"),
        (("hint", "toy", "nothing"), "toy has no check 'nothing'."),
        (("grade", "toy"), "Missing argument"),
    ],
)
def test_wrong_usage(tmp_path: Path, arguments: tuple[str, ...], text: str) -> None:
    """Wrong usage is exit code 2 and two lines, never a traceback."""
    done = run(*arguments, cwd=tmp_path)

    assert done.returncode == 2
    assert text in done.stderr
    assert "Traceback" not in done.stderr


def test_hint_one_at_a_time(tmp_path: Path) -> None:
    """Hints come one by one, and say how to get the next."""
    assert (
        run("hint", "toy", "counts_right", cwd=tmp_path).stdout == "1. What is the key?\n(1 more: autograder hint toy counts_right -n 2)\n"
    )
    assert "2. Read about groupBy." in run("hint", "toy", "counts_right", "-n", "2", cwd=tmp_path).stdout
    assert "counts_hidden" in run("hint", "toy", cwd=tmp_path).stdout


def test_verify_says_what_to_do(tmp_path: Path) -> None:
    """Verify exits with 1 where the kit is not proved, and names file and remedy."""
    done = run("verify", "toy", cwd=tmp_path)

    assert done.returncode == 1
    assert "accepted has 0 files: write at least 6" in done.stdout
    assert "no rejected file fails counts_right: write one" in done.stdout


def test_names_send_nothing_to_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Control characters in the name of a file or folder are shown, in reports as in errors and progress."""
    name = "evil\x1b]0;title\x07\x1b[2J.py"
    report = Report(1, "kit", "spark", "toy", "Toy", name, "0", {}, "student", "bubblewrap", 4, 4, (), student=name)

    def grade(session: Session, _handed_in: object, **_: object) -> Iterator[Graded]:
        session.progress(f"grading {name}", 0, 0)
        yield Graded(report, {})

    monkeypatch.setattr(batch, "grade_all", grade)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AUTOGRADER_ROOT", str(HERE / "kit"))
    quiet = CliRunner().invoke(main, ["grade", "toy", name, "--quiet"], color=True)
    whole = CliRunner().invoke(main, ["grade", "toy", name], color=True)
    wrong = CliRunner().invoke(main, ["check", "toy", name], color=True)

    shown = r"evil\x1b]0;title\x07\x1b[2J.py"
    assert f"grading {shown}\n{shown}: 4 of 4 points\n" in quiet.output
    assert re.search(r"Written to graded/toy/evil_\]0;title__\[2J\.py-[0-9a-f]{8}\n", whole.output)
    assert wrong.output.startswith(f"autograder: There is no file {shown}.\n")
    assert all("\x1b" not in done.output and "\x07" not in done.output for done in (quiet, whole, wrong))


def test_a_name_prints_no_line_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A student's name with a line end cannot give another one points."""
    name = "a\nada: 4 of 4 points"
    report = Report(1, "kit", "spark", "toy", "Toy", "a.py", "0", {}, "student", "bubblewrap", 0, 4, (), student=name)
    monkeypatch.setattr(batch, "grade_all", lambda *_, **__: iter([Graded(report, {})]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AUTOGRADER_ROOT", str(HERE / "kit"))

    done = CliRunner().invoke(main, ["grade", "toy", "a.py", "--quiet"])

    assert done.output == "a\\nada: 4 of 4 points: 0 of 4 points\n"


def test_windows_is_told_about_wsl(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two lines in place of a traceback; the command line itself imports nothing that Windows does not have."""
    monkeypatch.setattr("autograder.cli.main._system", lambda: "nt")

    done = CliRunner().invoke(main, ["list"])
    program = "import sys; sys.modules.update(fcntl=None, resource=None); import autograder.cli.main"
    imported = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=HERE.parent)

    assert (done.exit_code, done.output) == (2, "autograder: autograder runs on Linux and macOS.\nOn Windows run it in WSL2.\n")
    assert imported.returncode == 0, imported.stderr
