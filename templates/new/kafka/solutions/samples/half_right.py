# Assignment: << slug >>. Submitted by Bo, who knows one station.
from kafka import KafkaConsumer, TopicPartition


def count_station(bootstrap, topic, station):
    consumer = KafkaConsumer(bootstrap_servers=bootstrap)
    partitions = [TopicPartition(topic, p) for p in consumer.partitions_for_topic(topic)]
    consumer.assign(partitions)
    consumer.seek_to_beginning()
    ends, counted = consumer.end_offsets(partitions), 0
    while any(consumer.position(p) < ends[p] for p in partitions):
        for records in consumer.poll(timeout_ms=500).values():
            counted += sum(record.key == b"Oslo" for record in records)
    consumer.close()
    return counted
