"""Kafka's share of the bench: how soon brokers answer with the class cache and without it, and what they weigh."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from kafka import KafkaAdminClient
from kafka.admin import NewTopic

from autograder.broker.cluster import broker
from autograder.machine.java import find_java
from autograder.model import Limits
from autograder.sandbox import bubblewrap
from autograder.sandbox.bubblewrap import Sandbox


def measure(brokers: int, flags: tuple[str, ...] | None, sandbox: Sandbox | None) -> tuple[float, float]:
    """Seconds until the first topic is made, and the resident megabytes of the heaviest broker."""
    began = time.perf_counter()
    with broker(brokers, flags, sandbox) as cluster:
        admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap)
        admin.create_topics([NewTopic("first", 1, brokers)])
        seconds = time.perf_counter() - began
        admin.close()
        return seconds, max(map(resident, processes(cluster.folder)), default=0.0)


def processes(folder: Path) -> list[int]:
    """The brokers' processes: those with their folder in their command line, without the guard."""
    found = [path for path in Path("/proc").glob("[0-9]*/cmdline") if str(folder).encode() in path.read_bytes()]
    return [int(path.parent.name) for path in found if b"kafka.Kafka" in path.read_bytes()]


def resident(pid: int) -> float:
    """Megabytes in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    confined = bubblewrap.sandbox(find_java(), Limits()) if sys.argv[1] == "confined" else None
    seconds, megabytes = measure(int(sys.argv[2]), () if sys.argv[1] == "stock" else None, confined)
    print(json.dumps({"seconds": seconds, "rss": megabytes}))
