"""A class cache that cannot be made is tried once: no command waits for it again, and it is told what to do. No Spark runs here."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from kafka.errors import KafkaTimeoutError

from autograder.broker import jars, warmup
from autograder.broker.cluster import BrokerLostError
from autograder.cli import doctor
from autograder.cli.main import main
from autograder.engines import spark_replays
from autograder.grading import session
from autograder.machine import classcache, jvm, localfiles
from autograder.machine.java import Java
from autograder.machine.made_once import lock_of
from autograder.machine.tried_once import Cache, NotMadeError, tried_once, why_not

ROOT = Path(__file__).parent.parent
PREPARING_JAR = "Preparing Spark's local file system (once on this machine, a few seconds) …"
PREPARING = "Preparing Spark's class cache (once on this machine, about half a minute) …"
WITHOUT = "Everything works without, slower. Try again: autograder warm"


class Told(list[str]):
    """Progress that is written down."""

    def __call__(self, text: str, _done: int, _of: int) -> None:
        """Write it down."""
        self.append(text)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Java:
    """A Java of which nothing is cached yet."""
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(jars, "locked", lambda *_: {})
    return Java(tmp_path / "java", "25.0.1")


class Warmup:
    """Stands for the warm-up program: makes files, or fails for those that are named."""

    def __init__(self) -> None:
        self.failing: dict[str, Exception] = {}
        self.made: list[str] = []

    def __call__(self, *arguments: str | Path) -> None:
        """Make the file that the last argument names."""
        target = Path(arguments[-1])
        self.made.append(target.suffix)
        if target.suffix in self.failing:
            raise self.failing[target.suffix]
        target.touch()


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Warmup:
    found = Warmup()
    monkeypatch.setattr(classcache, "_warmup", found)
    return found


def late() -> Exception:
    return subprocess.TimeoutExpired(["python"], 300)


def test_a_slow_machine_waits_once(java: Java, monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """The warm-up program is ended in time; the second command does not start it, and says nothing."""
    started: list[object] = []
    run = subprocess.run
    monkeypatch.setattr(classcache, "_PATIENCE", 0.01)
    monkeypatch.setattr(subprocess, "run", lambda *words, **more: (started.append(words), run(*words, **more))[1])

    assert [classcache.ensure(java, told), classcache.ensure(java, told)] == [None, None]

    why = "Spark's local file system could not be made: it did not finish within 0.01 seconds."
    assert told == [PREPARING_JAR, f"{why} {WITHOUT}"]
    assert len(started) == 1


def test_a_program_that_fails_says_why(java: Java, monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """Its last line is the reason; half a file that it leaves is not taken for a cache."""
    said = "import pathlib, sys; pathlib.Path(sys.argv[1]).write_text('half'); sys.exit('one line\\nno room')"
    run = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda words, **more: run([sys.executable, "-c", said, words[-1]], **more))

    assert classcache.ensure(java, told) is None

    assert told[1] == f"Spark's local file system could not be made: no room. {WITHOUT}"
    assert not localfiles.jar().exists()


@pytest.mark.parametrize("failing", [".jar", ".aot"])
def test_the_second_command_does_not_try_again(java: Java, program: Warmup, told: Told, failing: str) -> None:
    """Whichever of the two files it is that cannot be made."""
    program.failing = {failing: late()}

    assert [classcache.ensure(java, told) for _ in range(3)] == [None] * 3

    assert program.made == [".jar", ".aot"][: 1 + (failing == ".aot")]
    assert why_not(classcache.path(java)) == "it did not finish within 300 seconds."


@pytest.mark.parametrize("failing", [".jar", ".aot"])
def test_another_java_tries_again(java: Java, program: Warmup, told: Told, failing: str) -> None:
    """A failure holds for this Java and these jars; what is known of the old ones goes when the new cache is made."""
    program.failing = {failing: late()}
    assert classcache.ensure(java, told) is None
    program.failing.clear()
    newer = Java(java.executable, "25.0.2")

    made = classcache.ensure(newer, told)

    assert made == classcache.path(newer)
    assert made.is_file()
    there = {made, lock_of(made), localfiles.jar(), lock_of(localfiles.jar())}
    assert set(made.parent.iterdir()) == there


def test_other_jars_try_again(java: Java, program: Warmup, told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A jar installed anew is another state."""
    jar = tmp_path / "spark.jar"
    jar.touch()
    monkeypatch.setattr(jvm, "class_path", lambda: str(jar))
    program.failing = {".aot": late()}
    assert classcache.ensure(java, told) is None
    program.failing.clear()
    os.utime(jar, (1, 1))

    assert classcache.ensure(java, told) == classcache.path(java)


def test_warm_tries_again(java: Java, program: Warmup, told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is what the message and doctor name."""
    program.failing = {".aot": late()}
    classcache.ensure(java, told)
    monkeypatch.setattr(spark_replays, "find_java", lambda: java)
    monkeypatch.setattr(session, "left_out", lambda *_: False)
    monkeypatch.setenv("AUTOGRADER_ROOT", str(ROOT))

    slow = CliRunner().invoke(main, ["warm"])
    program.failing.clear()
    without = classcache.ensure(java, told)
    done = CliRunner().invoke(main, ["warm"])

    assert slow.stdout == "The class cache could not be made; Spark starts without it, slower.\n"
    assert slow.stderr == f"{PREPARING}\nSpark's class cache could not be made: it did not finish within 300 seconds. {WITHOUT}\n"
    assert without is None
    assert (done.stdout, done.stderr) == (f"Spark's class cache is at {classcache.path(java)}.\n", f"{PREPARING}\n")
    assert program.made == [".jar", ".aot", ".aot", ".aot"]


def test_a_cache_that_cannot_be_written(java: Java, program: Warmup, told: Told, tmp_path: Path) -> None:
    """Nothing can be remembered there; it is told at once, and nobody waits."""
    (tmp_path / "cache").touch()

    assert [classcache.ensure(java, told), classcache.ensure(java, told)] == [None, None]

    assert told == [PREPARING_JAR, f"Spark's local file system could not be made: Not a directory. {WITHOUT}"] * 2
    assert program.made == []


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (BrokerLostError("The brokers did not answer."), "The brokers did not answer."),
        (KafkaTimeoutError("slow"), "KafkaTimeoutError: slow."),
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device."),
        (subprocess.TimeoutExpired(["java"], 120), "it did not finish within 120 seconds."),
    ],
)
def test_brokers_wait_once_too(java: Java, monkeypatch: pytest.MonkeyPatch, told: Told, error: Exception, why: str) -> None:
    """Kafka's class cache is treated as Spark's."""
    tried: list[object] = []

    def fail(*what: object) -> None:
        tried.append(what)
        raise error

    monkeypatch.setattr(warmup, "broker", fail)

    assert [warmup.ensure(java, told), warmup.ensure(java, told)] == [None, None]

    assert told == [
        "Preparing Kafka's class cache (once on this machine, a quarter of a minute) …",
        f"Kafka's class cache could not be made: {why} {WITHOUT}",
    ]
    assert len(tried) == 1


def test_doctor_says_what_could_not_be_made(java: Java, program: Warmup, told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not made yet and tried in vain are told apart, each with what to do."""
    monkeypatch.setattr(doctor, "find_java", lambda: java)
    program.failing = {".aot": late()}
    never = findings()

    classcache.ensure(java, told)
    lost: Callable[..., None] = failing(BrokerLostError("A broker ended by itself."))
    monkeypatch.setattr(warmup, "broker", lost)
    warmup.ensure(java, told)
    vain = findings()

    makes = "`autograder warm` makes it; `check` and `grade` do so themselves."
    again = "`autograder warm` tries again."
    assert never == {
        "class cache": (False, "Spark's class cache is not made yet: starts are slow", makes),
        "Kafka": (False, "Kafka's class cache is not made yet: starts are slow", makes),
    }
    late_text = "Spark's class cache could not be made: it did not finish within 300 seconds. Starts are slow."
    assert vain == {
        "class cache": (False, late_text, again),
        "Kafka": (False, "Kafka's class cache could not be made: A broker ended by itself. Starts are slow.", again),
    }


def test_doctor_asks_for_no_cache_that_this_java_cannot_make(java: Java, monkeypatch: pytest.MonkeyPatch) -> None:
    """Brokers have none before Java 25."""
    monkeypatch.setattr(doctor, "find_java", lambda: Java(java.executable, "17.0.15"))

    assert findings()["Kafka"] == (True, str(jars.folder()), "")


def findings() -> dict[str, tuple[bool, str, str]]:
    """What doctor finds of the caches."""
    return {found.name: (found.good, found.says, found.fix) for found in doctor.examine() if found.name in {"class cache", "Kafka"}}


def failing(error: Exception) -> Callable[..., None]:
    def fail(*_: object) -> None:
        raise error

    return fail


#: Tries to make a cache, which fails when it is told to go on.
TRIER = """
import sys
from pathlib import Path
from autograder.machine.tried_once import Cache, NotMadeError, tried_once

def say(text, *_):
    print(text, flush=True)

def make(_):
    say("making")
    sys.stdin.readline()
    raise NotMadeError("too slow")

tried_once(Cache(Path(sys.argv[1]), "The cache", "long"), make, say)
"""


def test_one_that_waits_for_a_failure_does_not_try_itself(tmp_path: Path, told: Told) -> None:
    """Else two commands at once would wait for two time limits, three for three."""
    target = tmp_path / "cache"
    command = [sys.executable, "-c", TRIER, str(target)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)}
    ) as other:
        assert other.stdout
        assert other.stdin
        assert [other.stdout.readline() for _ in range(2)] == ["Preparing The cache (once on this machine, long) …\n", "making\n"]

        def release(text: str, _done: int, _of: int) -> None:
            told.append(text)
            if text.startswith("Preparing"):  # this command has seen no failure yet
                assert other.stdin
                other.stdin.write("\n")
                other.stdin.flush()

        assert tried_once(Cache(target, "The cache", "long"), lambda _: pytest.fail("it was tried again"), release) is None

    assert told[1] == f"The cache could not be made: too slow. {WITHOUT}"


def test_a_reason_is_read_whole_or_not_at_all(tmp_path: Path, told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that reads it holds no lock, and a failure is written twice."""
    cache = Cache(tmp_path / "cache", "The cache", "long")
    read: list[str] = []
    write_text = Path.write_text

    def read_when_half_written(path: Path, text: str, encoding: str) -> int:
        path.touch()
        os.truncate(path, 0)
        read.append(why_not(cache.state))
        return write_text(path, text, encoding)

    monkeypatch.setattr(Path, "write_text", read_when_half_written)

    tried_once(cache, failing(NotMadeError("too slow")), told)

    assert read == ["", "too slow."]
    assert list(tmp_path.glob("*.failed*")) == [tmp_path / "cache.failed"]


def test_an_interrupt_is_no_failure(tmp_path: Path, told: Told) -> None:
    """Ctrl-C says nothing about the machine: the next command tries."""
    cache = Cache(tmp_path / "cache", "The cache", "long")
    with pytest.raises(KeyboardInterrupt):
        tried_once(cache, failing_by_interrupt, told)

    assert tried_once(cache, Path.touch, told) == cache.path


def failing_by_interrupt(_path: Path) -> None:
    raise KeyboardInterrupt


def test_a_failure_without_words_is_one(tmp_path: Path, told: Told) -> None:
    """An empty file, as a full disk leaves it, is a failure too."""
    cache = Cache(tmp_path / "cache", "The cache", "long")
    (tmp_path / "cache.failed").touch()

    assert tried_once(cache, failing(NotMadeError("again")), told) is None
    assert told == []
    assert why_not(cache.path) == "the reason could not be written down."
