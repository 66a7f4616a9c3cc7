"""kafka"""

import json
from collections.abc import Callable, Iterable

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, NewTopic
from kafka.consumer.fetcher import ConsumerRecord
from kafka.errors import InvalidTopicError, TopicAlreadyExistsError
from kafka.structs import OffsetAndMetadata
from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def create_topic(bootstrap, topic, partitions, replication, retention_ms, min_insync):
    KafkaAdminClient(bootstrap_servers=bootstrap).create_topics([NewTopic(topic, 1, 1)])


def produce(bootstrap, topic, give_up_ms, readings):
    producer = KafkaProducer(bootstrap_servers=bootstrap, acks=0)
    for reading in readings:
        producer.send(topic, str(reading).encode())
    producer.close()


def read_all(bootstrap, topic, group, handle):
    consumer = KafkaConsumer(topic, bootstrap_servers=bootstrap, group_id=group, consumer_timeout_ms=2000)
    for record in consumer:
        handle(record)


def work(bootstrap, topic, group, handle, running):
    read_all(bootstrap, topic, group, handle)


def averages(records):
    return records.groupBy("key").avg("value")
