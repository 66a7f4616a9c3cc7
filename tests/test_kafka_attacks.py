"""Hostile programs of a Kafka exercise, confined as `grade` confines them: each has the outcome that it says, and has gained nothing.

A file of ``tests/attacks/kafka`` has a head as those of ``tests/attacks`` have it, and is put behind a right submission.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.broker import cluster
from autograder.broker.cluster import Cluster
from autograder.content.catalog import Catalog, find_root
from autograder.engines.kafka_replays import KafkaReplays
from autograder.engines.recorded import Records, code_hash, is_drawn
from autograder.engines.runtime import Runtime
from autograder.grading.answer_key import AnswerKey
from autograder.grading.waves import Grading
from autograder.machine.java import Java
from autograder.machine.paths import short_hash
from autograder.model import CheckReport, Limits, Observation, Outcome, Report
from autograder.sandbox import bubblewrap
from autograder.sandbox.bubblewrap import Sandbox
from autograder.sandbox.watch import usage
from autograder.submission.read import Submission
from tests.conftest import HERE, SOAK
from tests.test_attacks import ONE_IN, ROOT, Noting, Seen, assert_nothing_gained, command_lines, head, kept, key_of
from tests.test_broker import java  # noqa: F401  # a fixture
from tests.with_records import commit

ATTACKS = sorted((HERE / "attacks" / "kafka").glob("*.py"))
pytestmark = [
    pytest.mark.kafka,
    pytest.mark.sandbox,
    pytest.mark.skipif(bool(bubblewrap.obstacle()), reason=f"nothing can be confined here: {bubblewrap.obstacle()}"),
]
_LIMITS = Limits(memory=3000, process_memory=1000, processes=400, scratch=150, observation=2)
_SLUG, _RIGHT = "kafka_setup", "right"
#: What starts brokers and lets in to them, and what runs replays.
_CODE = ("engines/runtime.py", "broker/cluster.py", "broker/guard.py", "broker/keeper.py", "broker/doors.py", "machine/relay.py")


@pytest.fixture(scope="module")
def answer_key() -> AnswerKey:
    """The assignment, with less time and room."""
    found = AnswerKey.load(Catalog(find_root()), _SLUG)
    return replace(found, assignment=replace(found.assignment, limits=_LIMITS))


def confining_code(answer_key: AnswerKey) -> str:
    """One word for what decides how an attack ends: the code that replays, confines and starts brokers, and the assignment."""
    catalog = answer_key.catalog
    files = [*sorted((ROOT / "autograder/sandbox").glob("*.py")), *(ROOT / "autograder" / name for name in _CODE)]
    files += sorted(path for path in catalog.fixture_folder(_SLUG).rglob("*") if path.is_file())
    files += [catalog.solutions(_SLUG) / "samples" / "right.py", ROOT / "assignments" / _SLUG / "assignment.toml"]
    return short_hash([code_hash(brokers=True), *(path.read_text() for path in files), str(_LIMITS)])


@pytest.fixture(scope="module")
def records(request: pytest.FixtureRequest, answer_key: AnswerKey) -> Iterator[Records[dict[str, Observation]]]:
    """What the attacks came to."""
    yield from kept(request, "kafka_attacks", confining_code(answer_key), ATTACKS)


@pytest.fixture(scope="module")
def reports(
    request: pytest.FixtureRequest,
    java: Java,  # noqa: F811  # the fixture
    answer_key: AnswerKey,
    records: Records[dict[str, Observation]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, Future[Report]]]:
    """The reports of attacks, each in a sandbox of its own, and at last of a right submission; one broker serves them all.

    Attacks that have no record, one in ten that have one, and those that name a port or a folder of this run.
    """
    sandbox, folder = bubblewrap.sandbox(java, _LIMITS), tmp_path_factory.mktemp("attacks")
    (folder / "another_student.py").write_text("secret = 1\n")
    right = (answer_key.catalog.solutions(_SLUG) / "samples" / "right.py").read_text()

    again = request.config.getoption("--prove") or SOAK

    def grade(name: str, text: str, checks: list[str], noted: Mapping[str, Observation] | None = None) -> tuple[Report, Noting]:
        path = folder / f"{name}.py"
        path.write_text(text)
        chosen = [replace(check, time_limit=30) for check in answer_key.assignment.checks if check.id in checks]
        with Runtime(sandbox=sandbox) as engine:
            noting = Noting(Seen(noted) if noted else engine)
            kafka = engine.started("brokers", lambda: KafkaReplays(sandbox=sandbox))
            kafka._clusters[1] = (shared, contextlib.ExitStack())
            report = Grading(answer_key, Submission.read(path), answer_key.assignment.defaults(), noting).report(chosen)
            assert_no_program_runs(kafka)
            return report, noting

    def attack(path: Path) -> Report:
        text, key = path.read_text(), key_of(path)
        for word, meant in {"HOST_PORT": server.getsockname()[1], "OTHER_BROKER": other.ports[0], "HOST_FOLDER": folder}.items():
            text = text.replace(word, str(meant))
        same = text == path.read_text()
        noted = records.get(key) if same and not again and not is_drawn(key, commit(), ONE_IN) else None
        report, noting = grade(path.stem, f"{right}\n\n{text}", head(path)["checks"].split(", "), noted)
        assert_nothing_gained(report, path)
        if same and noting.can_be_kept:
            records.put(key, noting.seen)
        return report

    with contextlib.ExitStack() as stack:
        stack.enter_context(pytest.MonkeyPatch.context()).setenv("COURSE_SECRET", "course-secret")
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        shared, other = started(stack, sandbox), started(stack, sandbox)
        pool = stack.enter_context(ThreadPoolExecutor(3))
        futures = {path.stem: pool.submit(attack, path) for path in ATTACKS}
        yield futures | {_RIGHT: pool.submit(lambda: grade(_RIGHT, right, ["reads", "resumes", "sent", "works"])[0])}


#: What brokers keep is in memory, and outside of the sandbox.
_FILLS = """

def read_all(bootstrap, topic, group, handle):
    producer = KafkaProducer(bootstrap_servers=bootstrap)
    while True:
        producer.send(topic, bytes(900_000)).get()
"""


def alone(sandbox: Sandbox, answer_key: AnswerKey, folder: Path, text: str) -> dict[str, CheckReport]:
    """What two checks say of a right submission with something behind it, on brokers of its own."""
    path = folder / "own.py"
    path.write_text((answer_key.catalog.solutions(_SLUG) / "samples" / "right.py").read_text() + text)
    checks = [check for check in answer_key.assignment.checks if check.id in {"reads", "sent"}]
    with Runtime(sandbox=sandbox) as engine:
        found = Grading(answer_key, Submission.read(path), answer_key.assignment.defaults(), engine).report(checks).checks
    return {check.id: check for check in found}


def test_brokers_are_no_store(java: Java, answer_key: AnswerKey, tmp_path: Path) -> None:  # noqa: F811  # the fixture
    """What a submission sends counts as its scratch does."""
    found = alone(bubblewrap.sandbox(java, replace(_LIMITS, scratch=12)), answer_key, tmp_path, _FILLS)

    assert {check: report.outcome for check, report in found.items()} == {"reads": Outcome.TOO_MUCH_OUTPUT, "sent": Outcome.PASSED}
    assert "It writes or prints more than it may." in {report.message for report in found.values()}


#: Half requests, each of which the broker makes room for: more than it has in all.
_TAKES_DOWN = """

def read_all(bootstrap, topic, group, handle):
    import socket
    host, port = bootstrap.rsplit(":", 1)
    halves = [socket.create_connection((host, int(port))) for _ in range(8)]
    for half in halves:
        half.sendall((100_000_000).to_bytes(4, "big") + bytes(100_000))
    while halves:
        halves = [half for half in halves if half.recv(1)]
"""


def test_a_broker_that_is_taken_down_is_the_submissions_outcome(
    java: Java,  # noqa: F811  # the fixture
    answer_key: AnswerKey,
    tmp_path: Path,
) -> None:
    """Not the grader's fault, which anybody could bring about; the checks beside it go on, on other brokers."""
    found = alone(bubblewrap.sandbox(java, _LIMITS), answer_key, tmp_path, _TAKES_DOWN)

    assert {check: report.outcome for check, report in found.items()} == {"reads": Outcome.ERROR, "sent": Outcome.PASSED}
    assert "A broker ended while your code ran on it, and ended again when nothing else did." in {
        report.message for report in found.values()
    }


def started(stack: contextlib.ExitStack, sandbox: Sandbox) -> Cluster:
    """A broker that ends with the stack."""
    return stack.enter_context(cluster.broker(sandbox=sandbox))


def assert_no_program_runs(kafka: KafkaReplays) -> None:
    """While the sandbox is still there: whatever a program started in its folder ends with its replay."""
    programs = kafka._programs
    for pid in usage(programs._child.process.pid, 10_000).processes if programs else ():
        with contextlib.suppress(ProcessLookupError, FileNotFoundError):
            if "/program-" in str(Path(f"/proc/{pid}/cwd").readlink()):
                ending = os.pidfd_open(pid)
                assert select.select([ending], [], [], 20)[0], Path(f"/proc/{pid}/cmdline").read_bytes()
                os.close(ending)


@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: path.stem)
def test_an_attack_gains_nothing(reports: dict[str, Future[Report]], path: Path) -> None:
    """It gets its outcome, the check beside it passes, and what it must not reach it has not reached."""
    assert_nothing_gained(reports[path.stem].result(), path)


def test_a_right_submission_beside_them_gets_all_points(reports: dict[str, Future[Report]]) -> None:
    """On the broker that they have all been on."""
    report = reports[_RIGHT].result()

    assert [(check.id, check.outcome) for check in report.checks if check.outcome is not Outcome.PASSED] == []
    assert report.points == report.max_points


def test_no_process_is_left(reports: dict[str, Future[Report]]) -> None:
    """Whatever they have started has ended with their sandboxes."""
    for found in reports.values():
        found.result()

    mark = str(_LIMITS.scratch * 1_000_000).encode()
    assert [
        line for line in command_lines().values() if b"bwrap" in line and b"autograder.untrusted.kafka_supervisor" in line and mark in line
    ] == []
