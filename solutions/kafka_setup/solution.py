"""Kafka: set up a topic, produce, consume, and go on when something fails.

Weather stations send readings. A reading is a dict: station, celsius, at (its event time in ms since the epoch). Run by
hand, the program uses the broker of `.venv/bin/autograder kafka up`.
"""

import argparse
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
    """Create the topic, unless it is there.

    Returns "created", "unchanged" (it is there and is like this), "different" (it is there and is not like this: it is left
    as it is) or "invalid" (no topic may have this name).
    """
    ### BEGIN SOLUTION
    settings = {"retention.ms": str(retention_ms), "min.insync.replicas": str(min_insync)}
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    try:
        admin.create_topics([NewTopic(topic, partitions, replication, topic_configs=settings)])
        return "created"
    except InvalidTopicError:
        return "invalid"
    except TopicAlreadyExistsError:
        found = admin.describe_topics([topic])[0]["partitions"]
        same = len(found) == partitions and all(len(partition["replica_nodes"]) == replication for partition in found)
        values = admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic, list(settings))], config_filter="all")
        same = same and all(values["topic"][topic][name]["value"] == value for name, value in settings.items())
        return "unchanged" if same else "different"
    finally:
        admin.close()
    ### END SOLUTION


def produce(bootstrap: str, topic: str, give_up_ms: int, readings: Iterable[dict]) -> int:
    """Send every reading: key its station, value the reading as JSON in UTF-8, timestamp its event time.

    A reading that cannot be written as JSON is left out. A record counts as sent when all replicas in sync have it, and is given
    up after give_up_ms. Returns how many were sent.
    """
    ### BEGIN SOLUTION
    producer = KafkaProducer(
        bootstrap_servers=bootstrap,
        acks="all",
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
        waiting.append(producer.send(topic, value, key=reading["station"].encode(), timestamp_ms=reading["at"]))
    producer.flush()
    producer.close()
    return sum(future.succeeded() for future in waiting)
    ### END SOLUTION


def read_all(bootstrap: str, topic: str, group: str, handle: Callable[[ConsumerRecord], None]) -> int:
    """Handle every record that the group has not committed, from the beginning to the end that each partition has now.

    A record is committed once handle has returned, and not before; what handle raises goes on to the caller. Where retention has
    removed what comes after the committed offset, go on with the earliest record. Returns how many records were lost that way.
    """
    ### BEGIN SOLUTION
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False, auto_offset_reset="earliest")
    try:
        places = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic)]
        consumer.assign(places)
        starts, ends = consumer.beginning_offsets(places), consumer.end_offsets(places)
        committed = {place: consumer.committed(place) for place in places}
        while any(consumer.position(place) < ends[place] for place in places):
            for place, records in consumer.poll(timeout_ms=500).items():
                for record in records:
                    handle(record)
                    consumer.commit({place: OffsetAndMetadata(record.offset + 1, "", -1)})
        return sum(max(0, starts[place] - at) for place, at in committed.items() if at is not None)
    finally:
        consumer.close()
    ### END SOLUTION


def work(bootstrap: str, topic: str, group: str, handle: Callable[[ConsumerRecord], None], running: Callable[[], bool]) -> None:
    """Be a member of the group: handle the records of one's share of the partitions while running() is true.

    A record is committed once handle has returned, and not before. A group that is new begins with the earliest record.
    """
    ### BEGIN SOLUTION
    consumer = KafkaConsumer(
        topic, bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False, auto_offset_reset="earliest"
    )
    try:
        while running():
            for place, records in consumer.poll(timeout_ms=200).items():
                for record in records:
                    handle(record)
                consumer.commit({place: OffsetAndMetadata(records[-1].offset + 1, "", -1)})
    finally:
        consumer.close()
    ### END SOLUTION


def averages(records: DataFrame) -> DataFrame:
    """The running average of each key: columns key (STRING) and average (DOUBLE). Runs in update mode.

    ``records`` has the columns of Spark's Kafka source: key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT,
    timestamp TIMESTAMP. A value is a number as text in UTF-8; what is none is left out.
    """
    ### BEGIN SOLUTION
    numbers = records.select(
        F.col("key").cast("string").alias("key"), F.expr("try_cast(CAST(value AS STRING) AS DOUBLE)").alias("number")
    )
    return numbers.where("number IS NOT NULL").groupBy("key").agg(F.avg("number").alias("average"))
    ### END SOLUTION


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Set up a topic, produce three readings and read them back.")
    parser.add_argument("--bootstrap", default="127.0.0.1:9092")
    parser.add_argument("--topic", default="readings")
    arguments = parser.parse_args()
    print(create_topic(arguments.bootstrap, arguments.topic, 4, 1, 86_400_000, 1))
    some = [{"station": name, "celsius": 7.5, "at": 1_709_546_400_000} for name in ("Tromsø", "Bergen", "Oslo")]
    print(produce(arguments.bootstrap, arguments.topic, 30_000, some), "sent")
    print(read_all(arguments.bootstrap, arguments.topic, "by_hand", print), "lost")
