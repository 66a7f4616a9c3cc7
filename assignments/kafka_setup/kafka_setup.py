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
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def produce(bootstrap: str, topic: str, give_up_ms: int, readings: Iterable[dict]) -> int:
    """Send every reading: key its station, value the reading as JSON in UTF-8, timestamp its event time.

    A reading that cannot be written as JSON is left out. A record counts as sent when all replicas in sync have it, and is given
    up after give_up_ms. Returns how many were sent.
    """
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def read_all(bootstrap: str, topic: str, group: str, handle: Callable[[ConsumerRecord], None]) -> int:
    """Handle every record that the group has not committed, from the beginning to the end that each partition has now.

    A record is committed once handle has returned, and not before; what handle raises goes on to the caller. Where retention has
    removed what comes after the committed offset, go on with the earliest record. Returns how many records were lost that way.
    """
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def work(bootstrap: str, topic: str, group: str, handle: Callable[[ConsumerRecord], None], running: Callable[[], bool]) -> None:
    """Be a member of the group: handle the records of one's share of the partitions while running() is true.

    A record is committed once handle has returned, and not before. A group that is new begins with the earliest record.
    """
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def averages(records: DataFrame) -> DataFrame:
    """The running average of each key: columns key (STRING) and average (DOUBLE). Runs in update mode.

    ``records`` has the columns of Spark's Kafka source: key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT,
    timestamp TIMESTAMP. A value is a number as text in UTF-8; what is none is left out.
    """
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Set up a topic, produce three readings and read them back.")
    parser.add_argument("--bootstrap", default="127.0.0.1:9092")
    parser.add_argument("--topic", default="readings")
    arguments = parser.parse_args()
    print(create_topic(arguments.bootstrap, arguments.topic, 4, 1, 86_400_000, 1))
    some = [{"station": name, "celsius": 7.5, "at": 1_709_546_400_000} for name in ("Tromsø", "Bergen", "Oslo")]
    print(produce(arguments.bootstrap, arguments.topic, 30_000, some), "sent")
    print(read_all(arguments.bootstrap, arguments.topic, "by_hand", print), "lost")
