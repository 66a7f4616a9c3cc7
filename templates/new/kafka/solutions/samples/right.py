# Assignment: << slug >>. Submitted by Alva.
from kafka import KafkaConsumer, TopicPartition


def count_station(bootstrap, topic, station):
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, key_deserializer=bytes.decode)
    partitions = [TopicPartition(topic, p) for p in consumer.partitions_for_topic(topic)]
    consumer.assign(partitions)
    consumer.seek_to_beginning()
    left = sum(consumer.end_offsets(partitions).values()) - sum(consumer.beginning_offsets(partitions).values())
    counted = 0
    while left > 0:
        for records in consumer.poll(timeout_ms=1000).values():
            left -= len(records)
            counted += len([record for record in records if record.key == station])
    consumer.close()
    return counted
