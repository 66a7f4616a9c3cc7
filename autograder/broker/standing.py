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
from dataclasses import dataclass
from pathlib import Path

from autograder.broker import jars, settings, warmup
from autograder.broker.cluster import BrokerLostError, Cluster
from autograder.broker.jars import Progress
from autograder.model import KitError
from autograder.replay.java import Java
from autograder.replay.localfiles import cache_folder
from autograder.replay.session import environment

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
class Standing:
    """What is known of the broker that runs: its guard's process and the brokers' ports."""

    pid: int
    ports: tuple[int, ...]

    @property
    def bootstrap(self) -> str:
        """The addresses, as ``bootstrap_servers`` takes them."""
        return ",".join(f"127.0.0.1:{port}" for port in self.ports)


def folder() -> Path:
    """Where its storage, logs and state are."""
    return cache_folder() / "kafka-up"


def running() -> Standing | None:
    """The broker that runs, if one does. Its guard's lock tells, so a process number left behind misleads nobody."""
    lock = folder() / "lock"
    if not lock.is_file():
        return None
    with lock.open("r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            found = json.loads((folder() / "state.json").read_text())
            return Standing(found["pid"], tuple(found["ports"]))
    return None


def up(java: Java, brokers: int, port: int, progress: Progress) -> Standing:
    """Start brokers that stay, on ``port`` and the ones behind it. Raises KitError, with what to do."""
    found = running()
    if found:
        raise KitError(f"Kafka runs already, on {found.bootstrap}.", "Use it, or end it with: autograder kafka down")
    ports = list(range(port, port + 2 * brokers))
    for number in ports:
        _refuse_used(number)
    jars.ensure(java, progress)
    warmup.ensure(java, progress)
    _prepare(java, ports[:brokers], ports[brokers:])
    progress("Starting Kafka …", 0, 0)
    command = [sys.executable, "-m", "autograder.broker.guard", str(folder()), "--stay"]
    with (folder() / "guard.log").open("ab") as log:
        guard = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment(), start_new_session=True
        )
    (folder() / "state.json").write_text(json.dumps({"pid": guard.pid, "ports": ports[:brokers]}))
    _left.append(guard)
    cluster = Cluster(folder(), tuple(ports[:brokers]), guard)
    try:
        cluster.wait({f"started {number}" for number in range(1, brokers + 1)})
    except BrokerLostError as error:
        guard.terminate()
        guard.wait()
        raise KitError(f"Kafka did not start. {error}", "The whole log: autograder kafka logs") from error
    finally:
        for pipe in (guard.stdin, guard.stdout):
            assert pipe is not None
            pipe.close()
    return Standing(guard.pid, cluster.ports)


def _prepare(java: Java, ports: list[int], controllers: list[int]) -> None:
    state = folder() / "state.json"
    if state.is_file() and len(json.loads(state.read_text())["ports"]) != len(ports):
        raise KitError("The topics that are kept were made with another number of brokers.", "Remove them first: autograder kafka clean")
    try:
        folder().mkdir(parents=True, exist_ok=True)
        settings.write(folder(), java, ports, controllers)
    except OSError as error:
        raise KitError(
            f"Kafka's files cannot be written to {folder()}: {error.strerror or error}.", "Make room there, or set AUTOGRADER_CACHE."
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


def topics(found: Standing) -> dict[str, int]:
    """The topics and how many partitions each has, without Kafka's own."""
    from kafka import KafkaAdminClient

    admin = KafkaAdminClient(bootstrap_servers=found.bootstrap)
    try:
        described = admin.describe_topics()
    finally:
        admin.close()
    return {topic["name"]: len(topic["partitions"]) for topic in described if not topic["is_internal"]}


def down() -> Standing | None:
    """End the brokers that stay, and wait until they are gone; None when none runs."""
    found = running()
    if found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(found.pid, signal.SIGTERM)
        with (folder() / "lock").open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # the guard holds it until every broker is gone
        for guard in [guard for guard in _left if guard.pid == found.pid]:
            guard.wait()
            _left.remove(guard)
    return found


def logs(lines: int) -> str:
    """The last lines of every broker's log. Raises KitError when there is none."""
    found = sorted(folder().glob("broker-*.log"))
    if not found:
        raise KitError("There are no logs: no broker has run here.", "Start one: autograder kafka up")
    return "\n".join(f"== {path.name}\n" + "\n".join(path.read_text(errors="replace").splitlines()[-lines:]) for path in found)


def clean() -> None:
    """Remove topics, logs and state of the broker that stayed. Raises KitError while it runs."""
    if running():
        raise KitError("Kafka runs.", "End it first: autograder kafka down")
    shutil.rmtree(folder(), ignore_errors=True)


def tools(java: Java, where: Path) -> Path:
    """Write Kafka's console tools as scripts into a folder, to be put on the PATH."""
    where.mkdir(parents=True, exist_ok=True)
    logs_of_tools = where / "log4j2.properties"
    logs_of_tools.write_text(
        settings.LOGS.replace("info", "error").replace("type = Console", "type = Console\nappender.console.target = SYSTEM_ERR")
    )
    for name, tool in TOOLS.items():
        words = " ".join(f"'{word}'" for word in [*settings.command(java, (), logs_of_tools), tool])
        path = where / name
        path.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        path.chmod(0o755)
    return where
