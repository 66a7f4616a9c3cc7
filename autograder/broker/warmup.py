"""Make the brokers' class cache, once per machine: one broker runs with a topic, a producer and a consumer group."""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

from autograder.broker import settings
from autograder.broker.cluster import BrokerLostError, Cluster, broker
from autograder.broker.jars import Progress
from autograder.machine import classcache
from autograder.machine.java import Java


def ensure(java: Java, progress: Progress) -> Path | None:
    """The cache's path; None where this Java makes none or it could not be made: everything works without, slower.

    Two at once do not disturb each other.
    """
    from kafka.errors import KafkaError

    target = settings.cache_path(java)
    if target.is_file() or java.major < settings.AOT:
        return target if target.is_file() else None
    progress("Preparing Kafka's class cache (once on this machine, a quarter of a minute) …", 0, 0)
    part = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        with broker(1, (f"-XX:AOTCacheOutput={part}",)) as cluster:
            _work(cluster)
            cluster.tell("stop", 1)  # it writes its cache when it exits
        part.replace(target)
        classcache.remove_stale(target)
    except (OSError, BrokerLostError, KafkaError, subprocess.SubprocessError):
        return None
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    return target


def _work(cluster: Cluster) -> None:
    from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
    from kafka.admin import NewTopic

    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap)
    admin.create_topics([NewTopic("warmup", 2, 1)])
    admin.close()
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap, acks="all")
    producer.send("warmup", b"value", b"key").get(timeout=60)
    producer.close()
    consumer = KafkaConsumer(
        "warmup", bootstrap_servers=cluster.bootstrap, group_id="warmup", auto_offset_reset="earliest", consumer_timeout_ms=60_000
    )
    next(consumer, None)
    consumer.commit()
    consumer.close()
