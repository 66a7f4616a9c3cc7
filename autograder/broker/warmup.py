"""Make the brokers' class cache, once per machine: one broker runs with a topic, a producer and a consumer group."""

from __future__ import annotations

from pathlib import Path

from autograder.broker import settings
from autograder.broker.cluster import BrokerLostError, Cluster, broker
from autograder.machine import classcache
from autograder.machine.java import Java
from autograder.machine.progress import Progress
from autograder.machine.tried_once import Cache, NotMadeError, tried_once


def ensure(java: Java, progress: Progress) -> Path | None:
    """The cache's path; None where this Java makes none, where it cannot be made, or could not be before: brokers then start slower."""
    target = settings.cache_path(java)
    if target.is_file() or java.major < settings.AOT:
        return target if target.is_file() else None
    made = tried_once(Cache(target, "Kafka's class cache", "a quarter of a minute"), _make, progress)
    if made:
        classcache.remove_stale(made)
    return made


def _make(target: Path) -> None:
    from kafka.errors import KafkaError

    try:
        with broker(1, (f"-XX:AOTCacheOutput={target}",)) as cluster:
            _work(cluster)
            cluster.tell("stop", 1)  # it writes its cache when it exits
    except (BrokerLostError, KafkaError) as error:
        raise NotMadeError(str(error)) from error


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
