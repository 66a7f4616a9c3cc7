"""What brokers are started with: their properties, their logs' format, the formatted storage, and the command."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from autograder.broker import jars
from autograder.machine.java import Java
from autograder.machine.paths import cache_folder, short_hash

#: From this Java on a cache is made in one step. Source: JEP 514.
AOT = 25
_OPTIONS = (
    "-Xms64m", "-Xmx256m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
    "-XX:CICompilerCount=1", "-XX:+IgnoreUnrecognizedVMOptions", "-Djava.awt.headless=true", "-Duser.timezone=UTC",
)  # fmt: skip
LOGS = """
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss.SSS} %p %c{1} %m%n%throwable{3}
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
"""


def properties(number: int, ports: Sequence[int], controllers: Sequence[int], data: Path) -> dict[str, str]:
    """The settings of a broker that is a controller too. Everything that waits for others waits as little as it can."""
    copies = str(min(3, len(ports)))
    voters = ",".join(f"{index}@127.0.0.1:{port}" for index, port in enumerate(controllers, 1))
    return {
        "process.roles": "broker,controller",
        "node.id": str(number),
        "controller.quorum.voters": voters,
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://127.0.0.1:{ports[number - 1]},CONTROLLER://127.0.0.1:{controllers[number - 1]}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{ports[number - 1]}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "PLAINTEXT",
        "log.dirs": str(data),
        "auto.create.topics.enable": "false",
        "group.initial.rebalance.delay.ms": "0",
        "broker.session.timeout.ms": "3000",
        "broker.heartbeat.interval.ms": "100",
        "controller.quorum.election.timeout.ms": "200",
        "controller.quorum.election.backoff.max.ms": "200",
        "controller.quorum.retry.backoff.ms": "5",
        "offsets.topic.num.partitions": "1",
        "offsets.topic.replication.factor": copies,
        "transaction.state.log.num.partitions": "1",
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.min.isr": "1",
        "share.coordinator.state.topic.num.partitions": "1",
        "share.coordinator.state.topic.replication.factor": copies,
        "share.coordinator.state.topic.min.isr": "1",
        "num.network.threads": "2",
        "num.io.threads": "2",
        "log.cleaner.dedupe.buffer.size": "2097152",
    }


def write(folder: Path, java: Java, ports: Sequence[int], controllers: Sequence[int], flags: Sequence[str] | None = None) -> None:
    """Write all that brokers need into a folder: properties, formatted storage, and ``commands.json`` for the guard.

    Storage that is there already is kept. Raises OSError, and SubprocessError when Kafka's tool for storage fails.
    """
    cluster_id = base64.urlsafe_b64encode(hashlib.sha256(str(folder).encode()).digest()[:16]).decode().rstrip("=")
    logs = folder / "log4j2.properties"
    logs.write_text(LOGS)
    commands = {}
    for number in range(1, len(ports) + 1):
        data, path = folder / f"data-{number}", folder / f"broker-{number}.properties"
        path.write_text("".join(f"{name}={value}\n" for name, value in properties(number, ports, controllers, data).items()))
        if not data.is_dir():
            _format_whole(java, data, cluster_id, number, path)
        commands[number] = [*command(java, cache_flags(java) if flags is None else flags, logs), "kafka.Kafka", str(path)]
    (folder / "commands.json").write_text(json.dumps(commands))


def command(java: Java, flags: Sequence[str], logs: Path) -> list[str]:
    """Java with Kafka's class path."""
    return [str(java.executable), *flags, *_OPTIONS, f"-Dlog4j2.configurationFile={logs}", "-cp", jars.class_path()]


def _format_whole(java: Java, data: Path, cluster_id: str, number: int, path: Path) -> None:
    try:
        _format(java, data, cluster_id, number, path)
    except BaseException:
        shutil.rmtree(data, ignore_errors=True)  # half of it would be taken for storage the next time
        raise


def _format(java: Java, data: Path, cluster_id: str, number: int, path: Path) -> None:
    """Formatted storage: once by Kafka's own tool, kept in the cache; then only the two files' names change."""
    template = jars.folder() / "bootstrap.checkpoint"
    if not template.is_file():
        tool = [*command(java, (), path.parent / "log4j2.properties"), "kafka.tools.StorageTool"]
        subprocess.run([*tool, "format", "-t", cluster_id, "-c", str(path)], check=True, capture_output=True, timeout=120)
        part = template.with_name(f"{template.name}.{os.getpid()}")
        shutil.copy(data / template.name, part)
        part.replace(template)
        shutil.rmtree(data)
    data.mkdir()
    shutil.copy(template, data / template.name)
    directory = base64.urlsafe_b64encode(hashlib.sha256(f"{cluster_id} {number}".encode()).digest()[:16]).decode().rstrip("=")
    (data / "meta.properties").write_text(f"version=1\ncluster.id={cluster_id}\nnode.id={number}\ndirectory.id={directory}\n")


def cache_path(java: Java) -> Path:
    """The class cache of this Java and these jars: named by where they are and by their state, as Spark's is."""
    stats = [(jars.folder() / name).stat() for name in sorted(jars.locked())]
    state = [java.version, jars.class_path(), *_OPTIONS, *(f"{stat.st_size} {int(stat.st_mtime)}" for stat in stats)]
    return cache_folder() / f"broker-{short_hash([str(java.executable)])}-{short_hash(state)}.aot"


def cache_flags(java: Java) -> tuple[str, ...]:
    """How a broker is told to use the cache; nothing when there is none."""
    return (f"-XX:AOTCache={cache_path(java)}",) if java.major >= AOT and cache_path(java).is_file() else ()
