"""Kafka exercises: what bad programs come to, what is left behind, and that nothing of the student's own is touched."""

from __future__ import annotations

import contextlib
import itertools
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from kafka import KafkaAdminClient
from kafka.admin import NewTopic

from autograder.broker import background, cluster
from autograder.content.catalog import Catalog, find_root
from autograder.engines.kafka_replays import KafkaReplays
from autograder.engines.runtime import Runtime
from autograder.grading.answer_key import AnswerKey
from autograder.grading.waves import Grading
from autograder.machine.java import Java
from autograder.model import CheckReport, Outcome
from autograder.reports.json_report import to_json
from autograder.sandbox.watch import usage
from autograder.submission.read import Submission
from tests.conftest import GRADINGS, assert_same
from tests.test_broker import java, processes  # noqa: F401  # java is a fixture

pytestmark = [pytest.mark.kafka, pytest.mark.soak]

SLUG = "kafka_setup"
#: Points of a grading at which its process is killed: all ten in `make soak`.
KILLED_AT = range(10) if GRADINGS > 10 else (1, 3, 5)


@pytest.fixture(scope="module")
def kafka(java: Java) -> Iterator[Runtime]:  # noqa: F811  # the fixture
    """Brokers that the tests here share."""
    with Runtime() as shared:
        yield shared


@pytest.fixture(scope="module")
def answer_key() -> AnswerKey:
    """The assignment."""
    return AnswerKey.load(Catalog(find_root()), SLUG)


@pytest.fixture
def outcome(kafka: Runtime, answer_key: AnswerKey, tmp_path: Path) -> Callable[..., CheckReport]:
    """The report of one check (whatever it needs) on a file with this text."""

    def outcome(check_id: str, text: str, time_limit: int = 20) -> CheckReport:
        from dataclasses import replace

        path = tmp_path / "kafka_setup.py"
        path.write_text(text)
        check = next(replace(check, needs=(), time_limit=time_limit) for check in answer_key.assignment.checks if check.id == check_id)
        with Runtime(beside=kafka) as engine:
            report = Grading(answer_key, Submission.read(path), answer_key.assignment.defaults(), engine).report([check])
        return report.checks[0]

    return outcome


WRONG_PARTS = """

def produce(bootstrap, topic, give_up_ms, readings):
    raise ValueError(bootstrap + topic)


def create_topic(bootstrap, topic, partitions, replication, retention_ms, min_insync):
    KafkaAdminClient(bootstrap_servers=bootstrap).create_topics([NewTopic(topic, partitions + 1, replication)])
    return "created"
"""
FORGE = """import os
    for number in range(3, 64):
        try:
            os.write(number, b'{"handled": "everything"}\\n')
        except OSError:
            pass
"""
HEAD = "def work(bootstrap, topic, group, handle, running):\n    "


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("def work(:\n", Outcome.ERROR, "Python cannot read the file"),
        ("x = 1\n", Outcome.ERROR, "There is no function work."),
        ("def work(bootstrap):\n    pass\n", Outcome.ERROR, "The function is called as work(bootstrap, topic, group, handle, running)"),
        (HEAD + "raise NotImplementedError\n", Outcome.FAILED, "work is not written yet (at step 7)."),
        (HEAD + "1 / 0\n", Outcome.ERROR, "work raises ZeroDivisionError: division by zero"),
        (HEAD + "import nowhere\n", Outcome.ERROR, "The module 'nowhere' is not installed here (at step 7)."),
        (HEAD + "import os\n    os._exit(0)\n", Outcome.ERROR, "The program ended its own process"),
        (HEAD + "import os, signal\n    os.kill(os.getpid(), signal.SIGKILL)\n", Outcome.ERROR, "The program ended its own process"),
        (HEAD + "import kafka\n    kafka.KafkaConsumer(topic + '!', bootstrap_servers=bootstrap).poll()\n", Outcome.ERROR, "work raises"),
        (HEAD + "while True:\n        pass\n", Outcome.TIMEOUT, "It did not finish within 8 seconds (at step 7)."),
        (HEAD + "handle(None)\n", Outcome.ERROR, "work raises AttributeError"),
        (HEAD + FORGE, Outcome.ERROR, "What came back from the replay is not a result"),
    ],
)  # fmt: skip
def test_a_bad_program_is_told_what_is_wrong(outcome: Callable[..., CheckReport], text: str, kind: Outcome, message: str) -> None:
    """Every way to fail has its outcome and its words, and none is the grader's."""
    found = outcome("works", text, 8 if kind is Outcome.TIMEOUT else 20)

    assert (found.outcome, found.points) == (kind, 0)
    assert message in found.message
    assert "127.0.0.1" not in found.message


def test_ports_and_marks_of_a_run_are_in_no_message(outcome: Callable[..., CheckReport]) -> None:
    """What differs from run to run does not reach a report."""
    found = outcome("works", HEAD + "raise ValueError(f'{bootstrap} {topic} {group}')\n")

    assert found.message == "work raises ValueError: the broker readings archive (at step 7)"


def test_what_spark_logs_of_an_error_is_not_the_programs_output(outcome: Callable[..., CheckReport], answer_key: AnswerKey) -> None:
    """It carries the time of day, which would make every report another one."""
    source = answer_key.catalog.solution(SLUG).read_text() + (answer_key.catalog.solutions(SLUG) / "rejected" / "cast_fails.py").read_text()

    found = outcome("unparsable", source)

    assert (found.outcome, found.printed) == (Outcome.ERROR, "")
    assert "CAST_INVALID_INPUT" in found.message


def replays(runtime: Runtime) -> KafkaReplays:
    """Those of a runtime that has replayed something on brokers."""

    def start() -> KafkaReplays:
        raise AssertionError("nothing was replayed on brokers")

    return runtime.started("brokers", start)


def test_a_killed_broker_takes_no_marks(java: Java, answer_key: AnswerKey) -> None:  # noqa: F811  # the fixture
    """Never a zero: a replay whose broker has ended is asked again on a new one; and so is the next."""
    source = answer_key.catalog.solution(SLUG)
    check = [check for check in answer_key.assignment.checks if check.id == "reads"]
    with Runtime() as engine:
        grading = Grading(answer_key, Submission.read(source), answer_key.assignment.defaults(), engine)
        assert grading.report(check).checks[0].outcome is Outcome.PASSED
        found = replays(engine)._clusters[1][0]
        (victim,) = [pid for pid in processes(found.folder) if pid != found.guard.pid]
        os.kill(victim, signal.SIGKILL)
        assert select.select([found.guard.stdout], [], [], 60)[0], "the guard has not noticed"
        first = Grading(answer_key, Submission.read(source), answer_key.assignment.defaults(), engine).report(check)
        second = Grading(answer_key, Submission.read(source), answer_key.assignment.defaults(), engine).report(check)

    assert [report.checks[0].outcome for report in (first, second)] == [Outcome.PASSED] * 2


def test_check_uses_the_background_broker_and_leaves_its_topics_alone(java: Java, answer_key: AnswerKey) -> None:  # noqa: F811  # the fixture
    """Topics and groups that were there are there afterwards, and no others."""
    with cluster.broker() as own:
        found = background.Background(own.guard.pid, own.ports)
        admin = KafkaAdminClient(bootstrap_servers=own.bootstrap)
        admin.create_topics([NewTopic("readings", 2, 1)])
        checks = [check for check in answer_key.assignment.checks if check.id in {"reads", "resumes", "works", "sent"}]
        with Runtime(background=found) as engine:
            report = Grading(
                answer_key, Submission.read(answer_key.catalog.solution(SLUG)), answer_key.assignment.defaults(), engine
            ).report(checks)
            assert replays(engine)._clusters == {}
        topics = set(admin.list_topics())
        groups = admin.list_groups()
        admin.close()

    assert [check.outcome for check in report.checks] == [Outcome.PASSED] * 4
    assert topics == {"readings", "__consumer_offsets"}
    assert list(groups) == []


GRADE = """
import sys
from pathlib import Path
from autograder.content.catalog import Catalog, find_root
from autograder.grading.answer_key import AnswerKey
from autograder.grading.batch import grade_all
from autograder.grading.session import Session
from autograder.sandbox import bubblewrap
from autograder.submission.locate import HandedIn
session = Session(AnswerKey.load(Catalog(find_root()), "kafka_setup"))
done = list(grade_all(session, [HandedIn("ada", Path(sys.argv[1]))], confined=not bubblewrap.obstacle()))
"""


def ours(mark: str) -> list[int]:
    """Living processes that were started with a mark in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes() and "Z" not in (path.parent / "stat").read_text().rsplit(")", 1)[1][:3]:
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def ends(pids: Iterable[int]) -> Iterator[int]:
    """For each process that is still there a descriptor that can be read when it is not."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            yield os.pidfd_open(pid)


@pytest.mark.parametrize("at", KILLED_AT)
def test_a_killed_grader_leaves_nothing(java: Java, answer_key: AnswerKey, tmp_path: Path, at: int) -> None:  # noqa: F811  # the fixture
    """SIGKILL at points of a grading: no process, no port and no folder is left."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    mark = f"AUTOGRADER_TEST_MARK={tmp_path}"
    env = dict(os.environ, PYTHONPATH=str(find_root()), AUTOGRADER_SCRATCH=str(scratch), AUTOGRADER_TEST_MARK=str(tmp_path))
    command = [sys.executable, "-c", GRADE, str(answer_key.catalog.solution(SLUG))]
    grader = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env)
    assert grader.stdout
    try:
        select.select([grader.stdout], [], [], 0.3 * at * at)  # in the middle of whatever it does then
        confined = list(ends(usage(grader.pid, 10_000).processes))  # they have no mark
        grader.kill()
        grader.wait()
        marked = (pid for _ in range(100) for pid in ours(mark)[:1])
        for with_end in itertools.chain(confined, ends(marked)):  # each waits for a process that is still there
            ended, _, _ = select.select([with_end], [], [], 10)
            assert ended
            os.close(with_end)
    finally:
        grader.stdout.close()

    assert ours(mark) == []
    assert [path.name for path in scratch.iterdir()] == []


def test_the_commands_of_the_handout_work(java: Java, answer_key: AnswerKey, tmp_path: Path) -> None:  # noqa: F811  # the fixture
    """Every command in the column "now" is run as it is printed, on a broker of our own."""
    tools = background.tools(java, tmp_path / "bin")
    rows = [
        line.split("|")[2].strip().strip("`") for line in answer_key.catalog.handout(SLUG).read_text().splitlines() if "| `kafka-" in line
    ]
    commands = [row for row in rows if row.startswith("kafka-")]
    assert {command.split()[0] for command in commands} == set(background.TOOLS)
    said = {}
    with cluster.broker() as own:
        for command in commands:
            line = command.replace("localhost:9092", own.bootstrap)
            if "consumer.sh" in line:
                line += " --max-messages 1"
            env = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")
            done = subprocess.run(["sh", "-c", line], input="hello\n", capture_output=True, text=True, env=env, check=False, timeout=120)
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
            said[command.split()[0] + (" --describe" if "--describe" in command else "")] = done.stdout

    assert "PartitionCount: 1" in said["kafka-topics.sh --describe"]
    assert said["kafka-console-consumer.sh"] == "hello\n"
    assert said["kafka-get-offsets.sh"] == "avg:0:1\n"


def test_gradings_under_load_give_one_report(java: Java, answer_key: AnswerKey, tmp_path: Path) -> None:  # noqa: F811  # the fixture
    """Four at a time beside a busy process: other ports, other members' shares, and the same report, byte for byte."""
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    mixed = tmp_path / "mixed.py"
    mixed.write_text((answer_key.catalog.solutions(SLUG) / "samples" / "right.py").read_text() + WRONG_PARTS)
    checks = [check for check in answer_key.assignment.checks if check.function in {"create_topic", "produce", "work"}]
    checks = [check for check in checks if check.id not in {"goes_on", "leader_dies", "acks"}]  # seconds of waiting each

    def grade(kafka: Runtime) -> str:
        with Runtime(beside=kafka) as engine:
            return to_json(Grading(answer_key, Submission.read(mixed), answer_key.assignment.defaults(), engine).report(checks))

    try:
        with Runtime() as one, Runtime() as other, ThreadPoolExecutor(4) as pool:
            found = list(pool.map(grade, ([one, other] * GRADINGS)[:GRADINGS]))
    finally:
        busy.kill()
        busy.wait()

    assert len(found) == GRADINGS
    assert_same(found)
    assert '"FAILED"' in found[0]
    assert '"ERROR"' in found[0]
