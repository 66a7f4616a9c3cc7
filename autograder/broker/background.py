"""The broker that a student leaves running: ``autograder kafka up``, ``status``, ``down``, ``logs``, ``shell``, ``clean``."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from autograder.broker import jars, settings, warmup
from autograder.broker.cluster import PATIENCE, BrokerLostError, Cluster
from autograder.machine.java import Java
from autograder.machine.paths import cache_folder, environment
from autograder.machine.progress import Progress
from autograder.model import KitError

#: Kafka's console tools by the name of their script. Source: Kafka's own bin/*.sh.
TOOLS = {
    "kafka-topics.sh": "org.apache.kafka.tools.TopicCommand",
    "kafka-console-producer.sh": "org.apache.kafka.tools.ConsoleProducer",
    "kafka-console-consumer.sh": "org.apache.kafka.tools.consumer.ConsoleConsumer",
    "kafka-consumer-groups.sh": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    "kafka-configs.sh": "kafka.admin.ConfigCommand",
    "kafka-get-offsets.sh": "org.apache.kafka.tools.GetOffsetShell",
}


_left: list[subprocess.Popen[bytes]] = []  # guards that stay on purpose: Popen would warn of them


@dataclass(frozen=True)
class Background:
    """What is known of the broker that runs: its guard's process and the brokers' ports."""

    pid: int
    ports: tuple[int, ...]

    @property
    def bootstrap(self) -> str:
        """The addresses, as ``bootstrap_servers`` takes them."""
        return ",".join(f"127.0.0.1:{port}" for port in self.ports)

    def check(self) -> None:
        """It is a student's own, and nobody watches it."""


def folder() -> Path:
    """Where its storage, logs and state are."""
    return cache_folder() / "kafka-up"


def running() -> Background | None:
    """The broker that runs, if one does and takes requests.

    Its guard's lock tells, so a process number left behind misleads nobody.
    """
    found = _guard()
    return found[0] if found and found[1] else None


def starting() -> bool:
    """Whether a broker is being started and does not take requests yet."""
    return _held() and running() is None


def _held() -> bool:
    """Whether somebody has the lock: ``up``, and then the guard that it starts, until every broker is gone."""
    lock = folder() / "lock"
    if not lock.is_file():
        return False
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared: two that look do not take each other for a broker
        except OSError:
            return True
    return False


def _guard() -> tuple[Background, bool] | None:
    """The guard that has the lock, and whether its brokers take requests; None while it has not written itself down."""
    if not _held():
        return None
    pid, _, ready = (folder() / "lock").read_text().partition(" ")
    return (Background(int(pid), tuple(_ports())), bool(ready)) if pid else None


def _ports() -> list[int]:
    """The ports of the brokers that run or ran last; none where there is nothing to be read."""
    try:
        return [int(port) for port in json.loads((folder() / "state.json").read_text())["ports"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


@contextlib.contextmanager
def _alone() -> Iterator[BinaryIO]:
    """Hold the lock. Raises KitError when somebody has it, and when the folder cannot be written."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
        (folder() / "lock").touch()
        file = (folder() / "lock").open("r+b")
    except OSError as error:
        raise _unwritable(error) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise _refused() from error
        file.truncate()  # of an older guard
        yield file


def _refused() -> KitError:
    found = running()
    if found:
        return KitError(f"Kafka runs already, on {found.bootstrap}.", "Use it, or end it with: autograder kafka down")
    return _being_started()


def _being_started() -> KitError:
    return KitError("Kafka is being started by another command.", "Wait until it runs. To see whether it does: autograder kafka status")


def _unwritable(error: OSError) -> KitError:
    what = f"Kafka's files cannot be written to {folder()}: {error.strerror or error}."
    return KitError(what, "Make room there, or name another folder in AUTOGRADER_CACHE.")


def up(java: Java, brokers: int, port: int, progress: Progress) -> Background:
    """Start brokers that stay, on ``port`` and the ones behind it. Raises KitError, with what to do."""
    with _alone() as lock:
        ports = list(range(port, port + 2 * brokers))
        for number in ports:
            _refuse_used(number)
        jars.ensure(java, progress)
        warmup.ensure(java, progress)
        _prepare(java, ports[:brokers], ports[brokers:])
        progress("Starting Kafka …", 0, 0)
        guard = _started_guard(lock)
    cluster = Cluster(folder(), tuple(ports[:brokers]), guard)
    try:
        cluster.wait({f"started {number}" for number in range(1, brokers + 1)})
    except BrokerLostError as error:
        _end(guard)
        raise KitError(f"Kafka did not start. {error}", "The whole log: autograder kafka logs") from error
    except BaseException:  # Ctrl-C: the guard has no terminal and would stay
        _end(guard)
        raise
    finally:
        assert guard.stdout is not None
        guard.stdout.close()
    _left.append(guard)
    return Background(guard.pid, cluster.ports)


def _started_guard(lock: BinaryIO) -> subprocess.Popen[bytes]:
    """The guard's process. It inherits the lock, so that nobody can come between."""
    command = [sys.executable, "-m", "autograder.broker.guard", str(folder()), "--stay"]
    try:
        with (folder() / "guard.log").open("ab") as log:
            return subprocess.Popen(command, stdin=lock, stdout=subprocess.PIPE, stderr=log, env=environment(), start_new_session=True)
    except OSError as error:
        raise _unwritable(error) from error


def _end(guard: subprocess.Popen[bytes]) -> None:
    guard.terminate()
    try:
        guard.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        guard.kill()  # its brokers go with it
        guard.wait()


def _prepare(java: Java, ports: list[int], controllers: list[int]) -> None:
    if _ports() and len(_ports()) != len(ports):
        raise KitError("The topics that are kept were made with another number of brokers.", "Remove them first: autograder kafka clean")
    try:
        settings.write(folder(), java, ports, controllers)
        (folder() / "state.json").write_text(json.dumps({"ports": ports}))
    except OSError as error:
        raise _unwritable(error) from error
    except subprocess.SubprocessError as error:
        said = getattr(error, "stderr", None) or b""
        why = " ".join(said.decode(errors="replace").split())[:300] or "its tool did not end."
        raise KitError(
            f"Kafka's storage could not be formatted: {why}", "Try again; `autograder doctor` says what this machine offers."
        ) from error


def _refuse_used(port: int) -> None:
    with socket.socket() as found:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind(("127.0.0.1", port))
            found.listen(1)
        except OSError as error:
            raise KitError(
                f"Port {port} is in use by another program.", f"Name another one: autograder kafka up --port {port + 10_000}"
            ) from error


def topics(found: Background) -> dict[str, int]:
    """The topics and how many partitions each has, without Kafka's own. Raises KitError when no broker answers."""
    from kafka import KafkaAdminClient
    from kafka.errors import KafkaError

    try:
        with contextlib.closing(KafkaAdminClient(bootstrap_servers=found.bootstrap)) as admin:
            described = admin.describe_topics()
    except KafkaError as error:
        raise KitError(f"Kafka runs on {found.bootstrap}, but it does not answer: {error}", "See: autograder kafka logs") from error
    return {topic["name"]: len(topic["partitions"]) for topic in described if not topic["is_internal"]}


def down() -> Background | None:
    """End the brokers that stay, and wait until they are gone; None when none runs.

    Raises KitError while they are being prepared, and when they do not end.
    """
    found = _guard()
    if found is None:
        if _held():
            raise _being_started()
        return None
    pid = found[0].pid
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    if not _let_go():
        raise KitError(f"Kafka was told to end and still runs after {PATIENCE} seconds.", f"This ends it at once: kill -KILL {pid}")
    for guard in [guard for guard in _left if guard.pid == pid]:
        guard.wait()
        _left.remove(guard)
    return found[0]


def _let_go() -> bool:
    """Wait until nobody has the lock; False when that takes too long."""

    def wait() -> None:
        with (folder() / "lock").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)  # it has no time limit, hence the thread

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    waiting.join(PATIENCE)
    return not waiting.is_alive()


def logs(lines: int) -> str:
    """The last lines of every broker's log. Raises KitError when there is none."""
    found = sorted(folder().glob("broker-*.log"))
    if not found:
        raise KitError("There are no logs: no broker has run here.", "Start one: autograder kafka up")
    return "\n".join(f"== {path.name}\n" + "\n".join(path.read_text(errors="replace").splitlines()[-lines:]) for path in found)


def clean() -> None:
    """Remove topics, logs and state of the broker that stayed. Raises KitError while it runs."""
    if _held():
        raise _being_started() if running() is None else KitError("Kafka runs.", "End it first: autograder kafka down")
    shutil.rmtree(folder(), ignore_errors=True)


def tools(java: Java, where: Path) -> Path:
    """Write Kafka's console tools as scripts into a folder, to be put on the PATH. Raises KitError when they cannot be written."""
    try:
        where.mkdir(parents=True, exist_ok=True)
        _write_tools(java, where)
    except OSError as error:
        raise _unwritable(error) from error
    return where


def _write_tools(java: Java, where: Path) -> None:
    logs_of_tools = where / "log4j2.properties"
    logs_of_tools.write_text(
        settings.LOGS.replace("info", "error").replace("type = Console", "type = Console\nappender.console.target = SYSTEM_ERR")
    )
    for name, tool in TOOLS.items():
        words = " ".join(f"'{word}'" for word in [*settings.command(java, (), logs_of_tools), tool])
        path = where / name
        path.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        path.chmod(0o755)
