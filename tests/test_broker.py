"""A real Kafka: it comes up, it works, and it leaves nothing behind, however its owner ends."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka.admin import NewTopic
from kafka.errors import CoordinatorNotAvailableError

from autograder.broker import background, cluster, jars, warmup
from autograder.broker.observer import Observer
from autograder.cli.main import main
from autograder.machine.java import Java, find_java
from autograder.machine.made_once import lock_of
from autograder.model import KitError, Limits, TopicRecord
from autograder.oracle import Topic
from autograder.sandbox import bubblewrap
from autograder.sandbox.bubblewrap import Sandbox

HERE = Path(__file__).parent
pytestmark = pytest.mark.kafka
SCRIPT = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
from autograder.broker.cluster import broker
from autograder.machine.java import find_java
from autograder.model import Limits
from autograder.sandbox import bubblewrap
with broker(sandbox=bubblewrap.sandbox(find_java(), Limits()) if "confined" in sys.argv else None) as found:
    print(found.folder, found.guard.pid, found.ports[0], flush=True)
    sys.stdin.read()
"""


CONFINED = pytest.param(
    True,
    marks=[
        pytest.mark.sandbox,
        pytest.mark.skipif(bool(bubblewrap.obstacle()), reason=f"nothing can be confined: {bubblewrap.obstacle()}"),
    ],
)
both_ways = pytest.mark.parametrize("confined", [False, CONFINED], ids=["free", "confined"])


def sandbox(confined: bool) -> Sandbox | None:
    """A sandbox, where brokers are to run in one."""
    return bubblewrap.sandbox(find_java(), Limits()) if confined else None


def quiet(text: str, done: int, of: int) -> None:
    """Progress that a test's log shows."""
    print(f"[{done}/{of}] {text}")


@pytest.fixture(scope="module")
def java() -> Java:
    """A Java for which Kafka and its class cache are there; without a network everything here is skipped."""
    found = find_java()
    try:
        jars.ensure(found, quiet)
    except KitError as error:
        pytest.skip(f"{error.message} {error.hint}")
    warmup.ensure(found, quiet)
    return found


def processes(folder: Path) -> list[int]:
    """Processes that have a folder in their command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(folder).encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def listens(port: int) -> bool:
    """Whether somebody takes connections."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@both_ways
def test_a_record_goes_through(java: Java, confined: bool) -> None:
    """Topic, keyed record, consumer group; afterwards no process, port or file is left."""
    with cluster.broker(sandbox=sandbox(confined)) as found:
        admin = KafkaAdminClient(bootstrap_servers=found.bootstrap)
        admin.create_topics([NewTopic("t", 2, 1)])
        producer = KafkaProducer(bootstrap_servers=found.bootstrap, acks="all")
        sent = producer.send("t", "blåbær".encode(), b"key", timestamp_ms=1_000).get(timeout=30)
        producer.close()
        consumer = KafkaConsumer("t", bootstrap_servers=found.bootstrap, group_id="g", auto_offset_reset="earliest")
        record = next(consumer)
        consumer.close()
        admin.close()
        assert processes(found.folder)

    assert (record.value.decode(), record.timestamp, record.partition) == ("blåbær", 1_000, sent.partition)
    assert not found.folder.exists()
    assert processes(found.folder) == []
    assert not listens(found.ports[0])


def test_three_brokers_go_on_without_one(java: Java) -> None:
    """Every acknowledged record is read back after a broker was killed; it comes back when it is started again."""
    with cluster.broker(3, sandbox=sandbox(confined=not bubblewrap.obstacle())) as found:
        admin = KafkaAdminClient(bootstrap_servers=found.bootstrap)
        admin.create_topics([NewTopic("t", 1, 3)])
        producer = KafkaProducer(bootstrap_servers=found.bootstrap, acks="all")
        leader = admin.describe_topics(["t"])[0]["partitions"][0]["leader_id"]
        producer.send("t", b"0").get(timeout=60)
        found.tell("kill", leader)
        for number in range(1, 10):
            producer.send("t", str(number).encode()).get(timeout=60)
        found.tell("start", leader)
        consumer = KafkaConsumer("t", bootstrap_servers=found.bootstrap, auto_offset_reset="earliest")
        values = [next(consumer).value for _ in range(10)]
        for client in (producer, consumer, admin):
            client.close()

    assert values == [str(number).encode() for number in range(10)]


@both_ways
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_when_the_owner_ends(java: Java, ending: signal.Signals, confined: bool) -> None:
    """A grader that is killed, interrupted or told to end takes its broker along."""
    env = dict(os.environ, PYTHONPATH=str(HERE.parent))
    owner = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *(["confined"] if confined else [])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=env,
    )
    assert owner.stdin
    assert owner.stdout
    folder, guard, port = owner.stdout.readline().decode().split()
    gone = os.pidfd_open(int(guard))
    owner.send_signal(ending)
    owner.wait()

    assert select.select([gone], [], [], 60)[0], "the guard is still there"
    os.close(gone)
    owner.stdin.close()
    owner.stdout.close()
    assert not Path(folder).exists()
    assert processes(Path(folder)) == []
    assert not listens(int(port))


def test_a_broker_that_dies_is_told(java: Java) -> None:
    """Who waits for a broker that ends by itself is told, with its last words: a fault of ours, never a verdict."""
    with cluster.broker() as found:
        (victim,) = [pid for pid in processes(found.folder) if pid != found.guard.pid]
        os.kill(victim, signal.SIGKILL)
        with pytest.raises(cluster.BrokerLostError, match="A broker ended by itself"):
            found.wait({"started 2"})


def java_of(found: cluster.Cluster) -> Path:
    """The broker's own process, in /proc."""
    (own,) = [pid for pid in processes(found.folder) if b"kafka.Kafka" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    return Path(f"/proc/{own}")


@pytest.mark.sandbox
@pytest.mark.skipif(bool(bubblewrap.obstacle()), reason=f"nothing can be confined here: {bubblewrap.obstacle()}")
def test_a_confined_broker_has_nothing_to_tell(java: Java, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may configure it reads what it can read: no environment, no process, file or network of the grader's."""
    monkeypatch.setenv("COURSE_SECRET", "course-secret")
    (tmp_path / "another_student.py").touch()
    with cluster.broker(sandbox=sandbox(confined=True)) as found:
        own = java_of(found)
        kinds = ("user", "pid", "net", "mnt", "ipc", "uts", "cgroup")
        shared = [kind for kind in kinds if (own / "ns" / kind).readlink() == Path(f"/proc/self/ns/{kind}").readlink()]
        root = own / "root"
        seen = [
            path
            for path in (tmp_path, HERE, HERE.parent / "solutions", HERE.parent / "fixtures")
            if (root / path.relative_to("/")).exists()
        ]
        environments = {path.read_bytes() for path in (root / "proc").glob("[0-9]*/environ") if (path.parent / "cmdline").read_bytes()}
        mounts = [line.split() for line in (own / "mountinfo").read_text().splitlines()]
        own_memory = ("/proc", "/dev", "/scratch")
        writable = {mount[4] for mount in mounts if "rw" in mount[5].split(",") and not mount[4].startswith(own_memory)}

        assert (shared, seen, writable - {str(found.folder)}) == ([], [], set())
        assert (own / "environ").read_bytes() == b""
        assert not any(b"course-secret" in environment for environment in environments)


@pytest.fixture
def cache(java: Java, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of the test's own with Kafka's files in it, and no broker left in it afterwards."""
    whole = jars.folder()
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path))
    jars.folder().mkdir(parents=True)
    for path in whole.iterdir():
        os.link(path, jars.folder() / path.name) if path.stat().st_dev == tmp_path.stat().st_dev else (
            jars.folder() / path.name
        ).write_bytes(path.read_bytes())
    monkeypatch.setattr(warmup, "ensure", lambda *_: None)
    yield tmp_path
    background.down()


def verb(*arguments: str) -> tuple[int, str]:
    """Exit code and output of ``autograder kafka``."""
    done = CliRunner().invoke(main, ["kafka", *arguments])
    return done.exit_code, done.output


def free_port() -> int:
    """A port that is free, with a free one behind it. The kernel gives none of this range to a connection, so both stay free."""
    for port in range(20_000 + os.getpid() % 1_000 * 10, 32_000, 2):
        with contextlib.suppress(OSError), socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", port))
            other.bind(("127.0.0.1", port + 1))
            return port
    raise AssertionError("no port is free")


def test_up_status_down(cache: Path) -> None:
    """The broker in the background says where it runs, refuses a second one, keeps its topics, and is clean in the end."""
    port = str(free_port())
    assert verb("down") == (0, "No broker of the kit runs, so there is nothing to end.\n")
    assert verb("status") == (0, "No broker of the kit runs. Start one: autograder kafka up\n")

    code, text = verb("up", "--port", port)
    assert code == 0, text
    assert f"Kafka runs on 127.0.0.1:{port}\n" in text
    admin = KafkaAdminClient(bootstrap_servers=f"127.0.0.1:{port}")
    admin.create_topics([NewTopic("kept", 2, 1)])
    admin.close()
    assert verb("up", "--port", port) == (
        2,
        f"autograder: Kafka runs already, on 127.0.0.1:{port}.\nUse it, or end it with: autograder kafka down\n",
    )
    assert "  kept: 2 partitions\n" in verb("status")[1]
    assert "Kafka Server started" in verb("logs")[1]
    assert verb("clean") == (2, "autograder: Kafka runs.\nEnd it first: autograder kafka down\n")

    assert verb("down") == (0, "Kafka has ended; its topics are kept.\n")
    assert processes(background.folder()) == []
    assert verb("up", "--port", port)[0] == 0
    assert "  kept: 2 partitions\n" in verb("status")[1]
    verb("down")
    assert verb("up", "--port", port, "--brokers", "3")[1].endswith(
        "another number of brokers.\nRemove them first: autograder kafka clean\n"
    )
    assert verb("clean") == (0, "Topics and logs are removed.\n")
    assert verb("logs") == (2, "autograder: There are no logs: no broker has run here.\nStart one: autograder kafka up\n")


def test_a_used_port_is_named(cache: Path) -> None:
    """Another program on the port is no stack trace."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        code, text = verb("up", "--port", str(port))

    assert (code, text.splitlines()[0]) == (2, f"autograder: Port {port} is in use by another program.")


def test_a_state_file_left_behind_misleads_nobody(cache: Path) -> None:
    """After a power cut the file names a process that is somebody else's now."""
    background.folder().mkdir(parents=True)
    (background.folder() / "lock").touch()
    (background.folder() / "state.json").write_text(json.dumps({"pid": os.getpid(), "ports": [9092]}))

    assert background.running() is None
    assert background.down() is None


def test_damaged_files_are_fetched_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A jar in the cache that is not what the lock file says heals itself."""
    victim = jars.folder() / "jopt-simple-5.0.4.jar"
    right = victim.read_bytes()
    victim.unlink()
    victim.write_bytes(b"damaged")
    good = {path.name: path.read_bytes() for path in jars.folder().iterdir()} | {victim.name: right}

    def fetch(_java: Java, work: Path, _progress: jars.Progress, _which: jars.Jars) -> None:
        (work / "jars").mkdir()
        for name, content in good.items():
            (work / "jars" / name).write_bytes(content)

    monkeypatch.setattr(jars, "_fetch", fetch)
    jars.ensure(find_java(), quiet)

    assert jars.wrong(jars.folder()) == []


def test_a_wrong_checksum_is_refused(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that differs from the lock file is installed."""

    def fetch(_java: Java, work: Path, _progress: jars.Progress, _which: jars.Jars) -> None:
        (work / "jars").mkdir()
        for name in jars.locked():
            (work / "jars" / name).write_bytes(b"evil")

    monkeypatch.setenv("AUTOGRADER_CACHE", str(cache / "other"))
    monkeypatch.setattr(jars, "_fetch", fetch)

    with pytest.raises(KitError, match="What was fetched is not what the lock file names: HdrHistogram"):
        jars.ensure(find_java(), quiet)
    assert list((cache / "other" / "autograder").iterdir()) == [lock_of(jars.folder())]


def test_a_new_broker_can_be_asked_about_groups(java: Java) -> None:
    """It answers that nobody coordinates the group until its topic for offsets is made; that is waited for."""
    with cluster.broker() as new, Observer(new.bootstrap) as observer:
        with pytest.raises(CoordinatorNotAvailableError):
            observer.admin.describe_groups(["readers"])

        assert observer.members("readers") == {}
        assert observer.committed("readers", "readings") == {}


def test_what_the_leader_alone_has_is_waited_for_while_others_can_get_it(java: Java) -> None:
    """With too few replicas in sync nobody will read the record of acks=1, so that nothing is waited for."""
    with cluster.broker(3) as three, Observer(three.bootstrap) as observer:
        observer.make_topic("readings", Topic(1, 3, {"min.insync.replicas": "2"}))
        (partition,) = observer.partitions("readings")
        for number in set(partition["isr_nodes"]) - {partition["leader_id"]}:
            three.tell("stop", number)
        producer = KafkaProducer(bootstrap_servers=three.bootstrap, acks=1, enable_idempotence=False)
        producer.send("readings", b"1").get(timeout=60)
        producer.close()

        assert (observer.log_ends("readings"), observer.bounds("readings")[1]) == ({0: 1}, {0: 0})
        assert not observer.waits_for_replicas("readings")


def test_a_topic_made_anew_is_read_from_its_new_leaders(java: Java) -> None:
    """A submission may delete a topic and make it again; clients that knew it asked its old leaders for ever."""
    with cluster.broker(3) as three, Observer(three.bootstrap) as observer:
        for number, replicas in enumerate(([1, 2], [2, 3, 1], [3, 1], [1, 2, 3])):
            if number:
                observer.forget("anew", [])
            led_by = {partition: [broker] for partition, broker in enumerate(replicas)}
            observer.admin.create_topics([NewTopic("anew", replica_assignments=led_by)])
            observer.settle(f"settled-{number}")
            observer.send("anew", [TopicRecord(value=str(number), partition=0)])

            assert observer.bounds("anew") == (dict.fromkeys(led_by, 0), {partition: int(not partition) for partition in led_by})
            assert [record.value for record in observer.records("anew")] == [str(number).encode()]


def test_a_topic_that_one_broker_does_not_know_yet_is_described_by_another(java: Java, monkeypatch: pytest.MonkeyPatch) -> None:
    """Brokers learn of a new topic one after the other; 2 of 60 new topics on three brokers were not there for the next to be asked."""
    with cluster.broker() as new, Observer(new.bootstrap) as observer:
        observer.make_topic("readings", Topic(2, 1, {}))
        not_known_yet = observer.admin.describe_topics(["none"])
        monkeypatch.setattr(observer.admin, "describe_topics", lambda names: not_known_yet)

        assert len(observer.partitions("readings")) == 2
        assert observer.partitions("none") == []
