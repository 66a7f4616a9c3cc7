"""What brokers are started with: their properties, their logs' format, the formatted storage, and the command."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.broker import jars
from autograder.machine.java import Java
from autograder.machine.made_once import made_once
from autograder.machine.paths import cache_folder, short_hash

#: From this Java on a cache is made in one step. Source: JEP 514.
AOT = 25
_OPTIONS = (
    "-Xms64m", "-Xmx256m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
    "-XX:CICompilerCount=1", "-XX:+ExitOnOutOfMemoryError",
    "-XX:+IgnoreUnrecognizedVMOptions", "-Djava.awt.headless=true", "-Duser.timezone=UTC",
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
    cluster_id = _id(str(folder))
    logs = folder / "log4j2.properties"
    logs.write_text(LOGS)
    commands = {}
    for number in range(1, len(ports) + 1):
        data, path = folder / f"data-{number}", folder / f"broker-{number}.properties"
        path.write_text(_text(properties(number, ports, controllers, data)))
        _formatted(java, data, cluster_id, number)
        commands[number] = [*command(java, cache_flags(java) if flags is None else flags, logs), "kafka.Kafka", str(path)]
    (folder / "commands.json").write_text(json.dumps(commands))


def _id(text: str) -> str:
    """An identifier as Kafka wants it: 16 bytes in Base64, the same for the same text."""
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:16]).decode().rstrip("=")


def _text(values: Mapping[str, str]) -> str:
    return "".join(f"{name}={value}\n" for name, value in values.items())


def command(java: Java, flags: Sequence[str], logs: Path) -> list[str]:
    """Java with Kafka's class path."""
    return [str(java.executable), *flags, *_OPTIONS, f"-Dlog4j2.configurationFile={logs}", "-cp", jars.class_path()]


def _formatted(java: Java, data: Path, cluster_id: str, number: int) -> None:
    """Whole storage: half of it would be taken for storage the next time."""
    made_once(data, lambda path: _format(java, path, cluster_id, number))


def _format(java: Java, data: Path, cluster_id: str, number: int) -> None:
    """Formatted storage: once by Kafka's own tool, kept in the cache; then only the two files' names change."""
    template = made_once(jars.folder() / "bootstrap.checkpoint", lambda path: _format_with_kafka(java, path))
    data.mkdir()
    shutil.copy(template, data / template.name)
    identity = {"version": "1", "cluster.id": cluster_id, "node.id": str(number), "directory.id": _id(f"{cluster_id} {number}")}
    (data / "meta.properties").write_text(_text(identity))


def _format_with_kafka(java: Java, template: Path) -> None:
    """The file that is the same in all storage. Ports and the cluster's name do not matter here: the file knows neither."""
    work = template.parent
    logs, broker, data = work / "log4j2.properties", work / "broker.properties", work / "data"
    logs.write_text(LOGS)
    broker.write_text(_text(properties(1, [9092], [9093], data)))
    tool = [*command(java, (), logs), "kafka.tools.StorageTool", "format", "-t", _id(str(work)), "-c", str(broker)]
    subprocess.run(tool, check=True, capture_output=True, timeout=120)
    (data / template.name).rename(template)


def cache_path(java: Java) -> Path:
    """The class cache of this Java and these jars: named by where they are and by their state, as Spark's is."""
    stats = [(jars.folder() / name).stat() for name in sorted(jars.locked())]
    state = [java.version, jars.class_path(), *_OPTIONS, *(f"{stat.st_size} {int(stat.st_mtime)}" for stat in stats)]
    return cache_folder() / f"broker-{short_hash([str(java.executable)])}-{short_hash(state)}.aot"


def cache_flags(java: Java) -> tuple[str, ...]:
    """How a broker is told to use the cache; nothing when there is none."""
    return (f"-XX:AOTCache={cache_path(java)}",) if java.major >= AOT and cache_path(java).is_file() else ()
