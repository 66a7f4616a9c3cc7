"""Kafka, homework 1."""

import json
from collections.abc import Callable, Iterable

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, NewTopic
from kafka.consumer.fetcher import ConsumerRecord
from kafka.errors import InvalidTopicError, TopicAlreadyExistsError
from kafka.structs import OffsetAndMetadata
from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def create_topic(bootstrap: str, topic: str, partitions: int, replication: int, retention_ms: int, min_insync: int) -> str:
    settings = {"retention.ms": str(retention_ms), "min.insync.replicas": str(min_insync)}
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    try:
        admin.create_topics([NewTopic(topic, partitions, replication, topic_configs=settings)])
        return "created"
    except InvalidTopicError:
        return "invalid"
    except TopicAlreadyExistsError:
        return "unchanged"
    finally:
        admin.close()


def produce(bootstrap: str, topic: str, give_up_ms: int, readings: Iterable[dict]) -> int:
    producer = KafkaProducer(
        bootstrap_servers=bootstrap,
        acks=1,
        delivery_timeout_ms=give_up_ms,
        request_timeout_ms=min(give_up_ms, 5_000),
        # One request at a time keeps the order; an idempotent producer of kafka-python 3.0.12 may wait for ever once it gave up.
        enable_idempotence=False,
        max_in_flight_requests_per_connection=1,
    )
    waiting = []
    for reading in readings:
        try:
            value = json.dumps(reading, ensure_ascii=False).encode()
        except TypeError:
            continue
        waiting.append(producer.send(topic, value, key=reading["station"].encode()))
    producer.flush()
    producer.close()
    return sum(future.succeeded() for future in waiting)


def read_all(bootstrap: str, topic: str, group: str, handle: Callable[[ConsumerRecord], None]) -> int:
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=True, auto_offset_reset="earliest")
    try:
        places = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic)]
        consumer.assign(places)
        starts, ends = consumer.beginning_offsets(places), consumer.end_offsets(places)
        committed = {place: consumer.committed(place) for place in places}
        while any(consumer.position(place) < ends[place] for place in places):
            for place, records in consumer.poll(timeout_ms=500).items():
                for record in records:
                    handle(record)
        return sum(max(0, starts[place] - at) for place, at in committed.items() if at is not None)
    finally:
        consumer.close()


def work(bootstrap: str, topic: str, group: str, handle: Callable[[ConsumerRecord], None], running: Callable[[], bool]) -> None:
    consumer = KafkaConsumer(
        bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False, auto_offset_reset="earliest"
    )
    consumer.assign([TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic)])
    try:
        while running():
            for place, records in consumer.poll(timeout_ms=200).items():
                for record in records:
                    handle(record)
                consumer.commit({place: OffsetAndMetadata(records[-1].offset + 1, "", -1)})
    finally:
        consumer.close()


def averages(records: DataFrame) -> DataFrame:
    numbers = records.select(
        F.col("key").cast("string").alias("key"), F.expr("cast(CAST(value AS STRING) AS DOUBLE)").alias("number")
    )
    return numbers.where("number IS NOT NULL").groupBy("key").agg(F.avg("number").alias("average"))
