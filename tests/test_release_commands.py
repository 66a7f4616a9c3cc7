"""The commands of the handouts, as they are written, in a release on a machine that has Python alone."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.broker import jars
from autograder.content.catalog import Catalog
from autograder.machine import classcache, paths
from autograder.machine.java import find_java
from autograder.model import KitError, Outcome, Report
from tests.conftest import HERE
from tests.test_broker import free_port, processes

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

CATALOG = Catalog(HERE.parent)
SLUGS = CATALOG.slugs()
#: Seconds after which a program that prints nothing more is ended: the test then fails with what it printed.
PATIENCE = 120


@dataclass
class Program:
    """A command that runs, and what it has printed so far."""

    process: subprocess.Popen[str]
    printed: str = ""

    def until(self, wanted: str) -> None:
        """Read on to a line that has this."""
        assert self.process.stdout
        while wanted not in self.printed:
            line = self.process.stdout.readline()
            assert line, f"it ended without {wanted!r}:\n{self.printed}"
            self.printed += line

    def say(self, line: str) -> None:
        """Type a line into it."""
        assert self.process.stdin
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def interrupt(self) -> int:
        """Ctrl-C, and its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)


@dataclass
class Release:
    """A release that is set up, on a machine whose PATH has no Java and no Python."""

    folder: Path
    env: dict[str, str]

    def commands(self, slug: str) -> list[str]:
        """What stands in code blocks of the handout and is a command, without the words behind it."""
        blocks = re.findall(r"^    (\S.*)$", (self.folder / f"assignments/{slug}/README.md").read_text(), re.MULTILINE)
        commands = [re.split(r"\s{2,}", line)[0] for line in blocks]
        return [command for command in commands if re.match(r"(\.venv/|autograder|python|make|nc)\b", command)]

    def command(self, slug: str, part: str) -> list[str]:
        """The one command of the handout that has this in it, as words."""
        (found,) = [command for command in self.commands(slug) if part in command]
        return found.split()

    def run(self, words: list[str]) -> str:
        """Run a command of the handout to its end; what it prints."""
        done = subprocess.run(words, cwd=self.folder, env=self.env, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def solve(self, slug: str) -> None:
        """Do the assignment: the program's main part stays as it was handed out."""
        file = self.folder / f"assignments/{slug}/{slug}.py"
        given = file.read_text().partition("if __name__")
        file.write_text(CATALOG.solution(slug).read_text())
        assert file.read_text().endswith("".join(given[1:]))


@pytest.fixture(scope="module")
def site(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the release's wheel."""
    classcache.ensure(find_java(), lambda text, _done, _of: print(text))
    (wheel,) = released.glob("wheels/*.whl")
    where = tmp_path_factory.mktemp("site")
    zipfile.ZipFile(wheel).extractall(where)
    return where


@pytest.fixture
def release(released: Path, site: Path, tmp_path: Path) -> Release:
    """A release of one's own, with what `make setup` leaves: its Python is the one that runs here, with the wheel's files."""
    folder = Path(shutil.copytree(released, tmp_path / "course", ignore=shutil.ignore_patterns(".git")))
    (folder / ".venv/bin").mkdir(parents=True)
    for name, module in (("python", ""), ("autograder", "-m autograder")):
        script = folder / ".venv/bin" / name
        script.write_text(f"#!/bin/sh\nPYTHONPATH='{site}' exec '{sys.executable}' {module} \"$@\"\n")
        script.chmod(0o755)
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    gone = {"AUTOGRADER_ROOT", "JAVA_HOME", "PYTHONPATH", "SPARK_HOME"}
    plain = {name: value for name, value in os.environ.items() if name not in gone}
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/chmod").symlink_to(shutil.which("chmod") or "/bin/chmod")  # Hadoop's, where the class cache cannot be made
    return Release(folder, plain | {"PATH": str(tmp_path / "bin"), "TMPDIR": str(scratch), "PYTHONUNBUFFERED": "1"})


@pytest.fixture
def programs(release: Release) -> Iterator[list[Program]]:
    """Programs that run: none is left, however the test ends."""
    found: list[Program] = []
    yield found
    for program in found:
        with program.process as process:
            process.kill()


def start(release: Release, programs: list[Program], words: list[str]) -> Program:
    """Start a command of the handout, its errors among what it prints."""
    # A process that pytest is the background job of would ignore Ctrl-C, and so would its children.
    process = subprocess.Popen(
        words, cwd=release.folder, env=release.env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509  # it takes no lock
    )  # fmt: skip
    timer = threading.Timer(PATIENCE, process.kill)
    timer.daemon = True
    timer.start()
    programs.append(Program(process))
    return programs[-1]


def left_by(release: Release) -> list[object]:
    """Processes and files of Spark that are still there."""
    scratch = Path(release.env["TMPDIR"])
    return [*processes(scratch), *scratch.glob("autograder-spark-*")]


@pytest.mark.parametrize("slug", SLUGS)
def test_a_handout_has_no_other_commands(release: Release, slug: str) -> None:
    """Each of them is run below, and each works from the release's top folder, with what `make setup` puts there."""
    commands = release.commands(slug)
    by_hand = [command for command in commands if f"assignments/{slug}/{slug}.py" in command]
    known = rf"\.venv/bin/autograder (check {slug}|hint {slug} \w+|lines 9999|kafka up|kafka down)"

    assert [command for command in commands if command not in by_hand and not re.fullmatch(known, command)] == []
    assert [command.split()[0] for command in by_hand] == [".venv/bin/python"]


@pytest.mark.parametrize("slug", SLUGS)
def test_hints(release: Release, slug: str) -> None:
    """The hint that the handout names is there."""
    assert release.run(release.command(slug, "autograder hint")).startswith("1. ")


def test_check(release: Release) -> None:
    """`check` finds the file that was handed out, done or not."""
    words = release.command("watermarks", "autograder check")

    assert "\n0 of 15 points\n" in release.run(words)
    release.solve("watermarks")
    assert "\n15 of 15 points\n" in release.run(words)


def test_watermarks_by_hand(release: Release, programs: list[Program]) -> None:
    """Rows come out of CSV files of a folder that is named as one stands; Ctrl-C ends it all."""
    release.solve("watermarks")
    departures = release.folder / "departures"
    departures.mkdir()
    for number, (hour, carrier) in enumerate([("10:01", "US"), ("12:00", "UA")]):
        file = departures / f"{number}.csv"
        file.write_text(f"scheduled_at,departed_at,carrier,flight\n2013-03-08 {hour}:00,2013-03-08 {hour}:00,{carrier},1\n")
        os.utime(file, (number, number))  # read in this order
    words = [word.replace("FOLDER", "departures") for word in release.command("watermarks", "FOLDER")]

    program = start(release, programs, words)
    program.until("|2013-03-08 10:00:00|2013-03-08 10:15:00|US     |1         |")

    assert program.interrupt() == -signal.SIGINT
    assert left_by(release) == []
    assert not re.search(r"^\S* ?(WARN|ERROR)|^\[", program.printed, re.MULTILINE), program.printed


def test_output_modes_by_hand(release: Release, programs: list[Program]) -> None:
    """The ranking of views that Spark makes up."""
    release.solve("output_modes")

    program = start(release, programs, release.command("output_modes", "top_pages"))
    program.until("|page 0|")

    assert program.interrupt() == -signal.SIGINT
    assert left_by(release) == []


@pytest.mark.parametrize(
    ("slug", "typed", "printed"), [("dstream_word_count", "A b a\n", "('a', 2)"), ("windowed_counts", "home\n", "('home', 1)")]
)
def test_dstreams_by_hand(release: Release, programs: list[Program], slug: str, typed: str, printed: str) -> None:
    """What is typed into one program is counted by the other, in batches of the machine's own clock."""
    release.solve(slug)
    port = str(free_port())
    lines = start(release, programs, [port if word == "9999" else word for word in release.command(slug, "lines")])
    lines.until("Waiting for a program")

    program = start(release, programs, [port if word == "9999" else word for word in release.command(slug, "localhost")])
    lines.until("It is connected")
    lines.say(typed)
    program.until(printed)

    program.interrupt()
    assert left_by(release) == []


def test_kafka_by_hand(release: Release, tmp_path: Path) -> None:
    """A broker, the program on it, and the broker's end: with a port of the test's own, for another may have Kafka's."""
    try:
        jars.ensure(find_java(), lambda text, _done, _of: print(text))
    except KitError as error:
        pytest.skip(f"{error.message} {error.hint}")
    ours = tmp_path / "cache/autograder"  # whoever runs the tests may have a Kafka running
    ours.mkdir(parents=True)
    for path in paths.cache_folder().iterdir():
        if path.name != "kafka-up":
            (ours / path.name).symlink_to(path)
    release.env["AUTOGRADER_CACHE"] = str(ours.parent)
    release.solve("kafka_setup")
    port = str(free_port())

    up = release.run([*release.command("kafka_setup", "kafka up"), "--port", port])
    try:
        printed = release.run([*release.command("kafka_setup", "python"), "--bootstrap", f"127.0.0.1:{port}"])
    finally:
        down = release.run(release.command("kafka_setup", "kafka down"))

    assert up.startswith(f"Kafka runs on 127.0.0.1:{port}\n")
    assert printed.startswith("created\n3 sent\n")
    assert "Tromsø" in printed or "\\u00f8" in printed or "\\xc3\\xb8" in printed
    assert printed.endswith("0 lost\n")
    assert down == "Kafka has ended; its topics are kept.\n"


def test_lines_go_to_the_next_program(release: Release, programs: list[Program]) -> None:
    """A program that has ended leaves the lines that follow to the next one; a port that is taken is two lines."""
    import socket

    port = free_port()
    lines = start(release, programs, [".venv/bin/autograder", "lines", str(port)])
    lines.until("Waiting for a program")

    for text in ("one\n", "two\n"):
        with socket.create_connection(("127.0.0.1", port)) as reader, reader.makefile() as file:
            if text == "one\n":
                lines.until("It is connected")
            lines.say(text)
            assert file.readline() == text
    taken = subprocess.run(
        [".venv/bin/autograder", "lines", str(port)], cwd=release.folder, env=release.env, capture_output=True, text=True, check=False
    )

    assert (taken.returncode, taken.stderr) == (
        2,
        f"autograder: Port {port} cannot be used: Address already in use.\nName another one, here and for your program.\n",
    )


ASKING = """
import autograder
spark = autograder.spark()
def counts(views, least):
    assert spark.range(3).count() == 3
    return views.groupBy("page").count().withColumnRenamed("count", "views")
"""


def test_a_submission_that_asks_for_spark_gets_the_replays(grade: Callable[..., Report]) -> None:
    """No Java is started beside the one that replays."""
    report = grade(ASKING)

    assert [check.outcome for check in report.checks] == [Outcome.PASSED, Outcome.PASSED]


NO_SPARK = """
from unittest import mock
import autograder
from autograder.machine import classcache, jvm
with mock.patch.object(classcache, "start_jvm", side_effect=jvm.EngineLostError("")):
    autograder.spark()
"""
AGAIN = """
import autograder
spark = autograder.spark()
assert autograder.spark() is spark
assert spark.conf.get("spark.streaming.clock", "the machine's") == "the machine's"
squares = spark.sparkContext.parallelize(range(9), 3).map(lambda number: number * number)
print(squares.getNumPartitions(), squares.sum())
spark.stop()
print(autograder.spark().range(3).count())
"""


def test_spark_can_be_stopped_and_started_again(release: Release) -> None:
    """It is one session until it is stopped, with Python's workers, and nothing but the program's own words is printed."""
    done = subprocess.run(
        [".venv/bin/python", "-c", AGAIN], cwd=release.folder, env=release.env, capture_output=True, text=True, check=False
    )

    assert (done.stdout, done.stderr) == ("3 204\n3\n", "")
    assert left_by(release) == []


WAITING = """
import threading
import autograder
from pyspark.java_gateway import ensure_callback_server_started
spark = autograder.spark()
began = threading.Event()
class Batch:
    def run(self):
        began.set()
        spark._jvm.java.lang.Thread.sleep(600_000)
    class Java:
        implements = ["java.lang.Runnable"]
ensure_callback_server_started(spark.sparkContext._gateway)
spark._jvm.java.lang.Thread(Batch()).start()
began.wait()
print(spark.range(3).count())
"""


def test_a_program_ends_while_spark_calls_it(release: Release) -> None:
    """As in the midst of a DStream's batch: py4j closes what the called thread reads, and would wait for it."""
    done = subprocess.run(
        [".venv/bin/python", "-c", WAITING],
        cwd=release.folder,
        env=release.env,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )

    assert (done.returncode, done.stdout) == (0, "3\n")
    assert left_by(release) == []


def test_spark_that_does_not_start_is_two_lines(release: Release) -> None:
    """They end the traceback of the student's own program."""
    done = subprocess.run(
        [".venv/bin/python", "-c", NO_SPARK], cwd=release.folder, env=release.env, capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert done.stderr.splitlines()[-2:] == [
        "autograder.machine.errors.KitError: Spark did not start; what Java said stands above.",
        "What this machine offers: .venv/bin/autograder doctor",
    ]
    assert left_by(release) == []
