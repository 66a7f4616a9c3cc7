"""What goes wrong around Kafka on a machine ends as two lines, and leaves nothing half. No broker runs here."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from click.testing import CliRunner
from kafka.errors import KafkaTimeoutError

from autograder.authoring import demo
from autograder.broker import background, cluster, jars, settings, warmup
from autograder.broker.programs import Programs
from autograder.broker.replay import Replay
from autograder.broker.scene import Scene
from autograder.cli.main import main
from autograder.machine.java import Java, find_java
from autograder.machine.made_once import lock_of
from autograder.model import GraderFaultError, KitError, Report
from tests.test_broker import free_port, quiet, verb


def test_two_ups_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one is told at once, and whoever else comes meanwhile too; nothing is overwritten and no process is signalled."""
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path))
    told: list[tuple[int, str]] = []

    def fetch(*_: object) -> None:
        told.extend(verb(*words) for words in (["up"], ["status"], ["down"], ["clean"]))
        raise KitError("The first one", "ends.")

    monkeypatch.setattr(jars, "ensure", fetch)
    first = verb("up", "--port", str(free_port()))

    said = "Kafka is being started by another command.\nWait until it runs. To see whether it does: autograder kafka status\n"
    refused = (2, f"autograder: {said}")
    assert told == [refused, (0, "Kafka is being started.\n"), refused, refused]
    assert first == (2, "autograder: The first one\nends.\n")
    assert verb("status") == (0, "No broker of the kit runs. Start one: autograder kafka up\n")


GUARD_THAT_STAYS = """
import fcntl, os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
lock = open(sys.argv[1], "w")
fcntl.flock(lock, fcntl.LOCK_EX)
lock.write(f"{os.getpid()} ready")
lock.flush()
print(flush=True)
sys.stdin.read()
"""


def test_down_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Brokers that do not end are two lines, with their process; it was not changed by another `up`."""
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path))
    monkeypatch.setattr(background, "PATIENCE", 0.1)
    background.folder().mkdir(parents=True)
    (background.folder() / "state.json").write_text('{"ports": [9092]}')
    command = [sys.executable, "-c", GUARD_THAT_STAYS, str(background.folder() / "lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as guard:
        assert guard.stdout
        guard.stdout.readline()

        assert verb("up")[1].startswith("autograder: Kafka runs already, on 127.0.0.1:9092.\n")
        code, text = verb("down")

        assert guard.poll() is None
        guard.kill()
    assert code == 2
    assert text == (f"autograder: Kafka was told to end and still runs after 0.1 seconds.\nThis ends it at once: kill -KILL {guard.pid}\n")


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("java.net.UnknownHostException: somewhere", "there is no network."),
        ("PKIX path building failed", "certificate is not trusted"),
        ("No space left on device", "there is no room on the disk."),
    ],
)
def test_a_fetch_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, text: str) -> None:
    """Without a network everything but Kafka works; the message says so."""
    fake = tmp_path / "java"
    fake.write_text(f"#!/bin/sh\necho '{said}'\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(jars, "_trust", lambda *_: [])

    with pytest.raises(KitError, match=text) as caught:
        jars.ensure(Java(fake, "25"), quiet)
    assert "Everything but Kafka works without." in caught.value.hint
    assert list((tmp_path / "cache" / "autograder").iterdir()) == [lock_of(jars.folder())]


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file where the folder should be is two lines."""
    (tmp_path / "cache").touch()
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path / "cache"))

    with pytest.raises(KitError, match="Kafka's files cannot be written to") as caught:
        jars.ensure(find_java(), quiet)
    assert "AUTOGRADER_CACHE" in caught.value.hint


@pytest.mark.parametrize("words", [["up"], ["shell", "true"]])
def test_kafka_in_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    """The verbs of Kafka say so in two lines, as the fetch does."""
    (tmp_path / "cache").touch()
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(jars, "ensure", lambda *_: None)

    code, text = verb(*words)

    what = f"autograder: Kafka's files cannot be written to {background.folder()}: Not a directory."
    assert (code, text.splitlines()) == (2, [what, "Make room there, or name another folder in AUTOGRADER_CACHE."])


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "Kafka's files cannot be written to .*: No space left on device."),
        (subprocess.CalledProcessError(1, ["java"], stderr=b"out of\nmemory\n"), "Kafka's storage could not be formatted: out of memory"),
        (subprocess.TimeoutExpired(["java"], 120), "Kafka's storage could not be formatted: its tool did not end."),
    ],
)
def test_storage_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, text: str) -> None:
    """`up` says why in two lines; nothing half is left that a later `up` would take for storage."""

    def fail(_java: Java, data: Path, *_: object) -> None:
        data.mkdir()
        raise error

    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path))
    monkeypatch.setattr(jars, "ensure", lambda *_: None)
    monkeypatch.setattr(warmup, "ensure", lambda *_: None)
    monkeypatch.setattr(settings, "cache_flags", lambda _: ())
    monkeypatch.setattr(settings, "_format", fail)

    code, said = verb("up", "--port", str(free_port()))

    assert code == 2
    assert re.match(f"autograder: {text}", said)
    assert len(said.splitlines()) == 2
    assert not list(background.folder().glob("data-*"))


@pytest.mark.parametrize(
    "error",
    [
        cluster.BrokerLostError("gone"),
        subprocess.CalledProcessError(1, ["java"]),
        subprocess.TimeoutExpired(["java"], 1),
        KafkaTimeoutError("slow"),
        OSError("full"),
    ],
)
def test_a_class_cache_that_cannot_be_made_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Brokers start without it, slower."""

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(settings, "cache_path", lambda _: tmp_path / "broker.aot")
    monkeypatch.setattr(warmup, "broker", fail)

    assert warmup.ensure(Java(tmp_path / "java", "25"), quiet) is None


def test_damaged_files_that_cannot_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are two lines too."""

    def fail(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path))
    jars.folder().mkdir(parents=True)
    monkeypatch.setattr(shutil, "rmtree", fail)

    with pytest.raises(KitError, match=r"Kafka's files cannot be written to .*: Permission denied\."):
        jars.ensure(find_java(), quiet)


def test_status_of_brokers_that_do_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broker that hangs is two lines."""
    port = free_port()
    monkeypatch.setattr(background, "running", lambda: background.Background(1, (port,)))
    monkeypatch.setattr("kafka.KafkaAdminClient", lambda **_: (_ for _ in ()).throw(KafkaTimeoutError("no answer")))

    code, text = verb("status")

    assert code == 2
    assert re.search(rf"autograder: Kafka runs on 127.0.0.1:{port}, but it does not answer: .*no answer\nSee: autograder kafka logs", text)


def test_an_unknown_command_in_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told with the tools that there are."""
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path))
    monkeypatch.setattr(jars, "ensure", lambda *_: None)

    code, text = verb("shell", "kafka-nothing.sh", "--list")

    assert code == 2
    assert text.startswith("autograder: kafka-nothing.sh cannot be run: No such file or directory.\nKafka's own tools are kafka-topics.sh,")


INTERRUPTED = """
import sys
from pathlib import Path
from autograder.broker import jars
from autograder.machine.java import Java
jars.HERE, jars._trust = Path(sys.argv[1]), lambda *_: []
jars.ensure(Java(Path(sys.argv[2]), "25"), lambda text, *_: print(text, flush=True), jars.Jars("toy", "Toy"))
"""


def fake_java(path: Path, does: str) -> Java:
    """A program that stands for Java: of Ivy's command the last word is where the jars go."""
    path.write_text(f'#!/bin/sh\nfor last; do :; done\njars="${{last%/*}}"\n{does}\n')
    path.chmod(0o755)
    return Java(path, "25")


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> jars.Jars:
    """One jar to fetch, into a cache of the test's own."""
    (tmp_path / "toy.lock").write_text(f"{hashlib.sha256(b'right').hexdigest()} toy.jar\n")
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(jars, "HERE", tmp_path)
    monkeypatch.setattr(jars, "_trust", lambda *_: [])
    return jars.Jars("toy", "Toy")


def test_an_interrupted_fetch_leaves_nothing_half(tmp_path: Path, toy: jars.Jars) -> None:
    """Ivy ends with the one that started it, however that ends; the next fetch removes what was left, and works."""
    java = fake_java(
        tmp_path / "java",
        f'mkdir -p "$jars"; mkfifo {tmp_path}/wait; echo $$ > {tmp_path}/pid; echo "[SUCCESSFUL ]"; exec cat {tmp_path}/wait',
    )
    env = dict(os.environ, PYTHONPATH=str(Path(__file__).parent.parent))
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path), str(java.executable)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as owner:
        assert owner.stdout
        assert [owner.stdout.readline() for _ in range(2)] == ["Fetching Toy (once on this machine, 1 files) …\n", "Fetching Toy\n"]
        gone = os.pidfd_open(int((tmp_path / "pid").read_text()))
        owner.kill()
    assert select.select([gone], [], [], 60)[0], "Ivy is still there"
    os.close(gone)
    assert not jars.folder(toy).exists()
    assert len(list(jars.folder(toy).parent.iterdir())) == 2  # its lock, which nobody has any more, and what it had begun

    jars.ensure(fake_java(tmp_path / "java", 'mkdir -p "$jars"; printf right > "$jars/toy.jar"'), quiet, toy)

    assert set(jars.folder(toy).parent.iterdir()) == {jars.folder(toy), lock_of(jars.folder(toy))}
    assert jars.wrong(jars.folder(toy), toy) == []


def test_a_fetch_that_stalls_ends(tmp_path: Path, toy: jars.Jars, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time limit holds for a server that says nothing more."""
    monkeypatch.setattr(jars, "_TIMEOUT", 0.2)

    with pytest.raises(KitError, match=r"Kafka could not be fetched: it took longer than 0\.2 seconds\."):
        jars.ensure(fake_java(tmp_path / "java", "exec tail -f /dev/null"), quiet, toy)
    assert list(jars.folder(toy).parent.iterdir()) == [lock_of(jars.folder(toy))]


REPORT = Report(1, "kit", "spark", "toy", "Toy", "right.py", "0", {}, "student", "bubblewrap", 4, 4, (), student="right")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (KitError("No network.", "Try again."), "No network. Try again."),
        (GraderFaultError("Spark could not read\nthe topic"), "Spark could not read the topic"),
        (cluster.BrokerLostError("A broker ended by itself."), "A broker ended by itself."),
        (subprocess.TimeoutExpired(["java"], 180), "Command '['java']' timed out after 180 seconds"),
        (OSError("full"), "full"),
        (AssertionError(), "AssertionError"),
    ],
)
def test_the_demo_has_its_summary(kit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, text: str) -> None:
    """What is outside the marks is skipped, whatever happens to it; the exit code is that of the grading."""

    def fail(*_: object) -> Iterator[str]:
        yield "the first line"
        raise error

    monkeypatch.setenv("AUTOGRADER_ROOT", str(kit))
    (kit / "solutions/toy/demo.toml").write_text("")
    monkeypatch.setattr(demo, "grade_samples", lambda *_: iter([(REPORT, tmp_path)]))
    monkeypatch.setattr(demo, "_on_spark_source", fail)

    done = CliRunner().invoke(main, ["demo", "toy"])

    assert done.exit_code == 0
    assert done.output.endswith(f"the first line\nSKIPPED Spark's Kafka source: {text}\n")
    assert re.search(rf"^toy .* right\.py +4 of 4 points +{tmp_path}/report.txt\n", done.stdout)


def test_topics_are_removed_when_members_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the broker that a student left running nothing stays, also when a broker refuses to let members go."""
    forgotten: list[object] = []

    def refuse(*_: object) -> None:
        raise KafkaTimeoutError("slow")

    observer: Any = SimpleNamespace(
        member_ids=lambda _: ["one"], remove_members=refuse, forget=lambda *what: forgotten.append(what), check=lambda: None
    )
    request: Any = SimpleNamespace(fixture=SimpleNamespace(steps=()), parameters={}, time_limit=60)
    program: Any = SimpleNamespace(group="readers", kill=lambda: None)
    scene = Scene(background.Background(1, (9092,)), observer, request, mark="-mark", ended=[program])
    replay = Replay(cast(Programs, None), scene)

    with pytest.raises(KafkaTimeoutError, match="slow"):
        replay._clean()
    assert forgotten == [("-mark", {"readers"})]
