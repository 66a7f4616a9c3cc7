# Assignment: << slug >>. Submitted by Cleo, whose consumer begins at the end.
from kafka import KafkaConsumer


def count_station(bootstrap, topic, station):
    consumer = KafkaConsumer(topic, bootstrap_servers=bootstrap, consumer_timeout_ms=1000)
    return sum(record.key == station for record in consumer)
