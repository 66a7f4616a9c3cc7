# attack: leaves a process behind that produces for ever
# checks: reads, sent
# outcome: reads=PASSED
import os

from kafka import KafkaAdminClient, KafkaProducer
from kafka.admin import NewTopic

honest = read_all  # noqa: F821


def read_all(bootstrap, topic, group, handle):
    ready, told = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        KafkaAdminClient(bootstrap_servers=bootstrap).create_topics([NewTopic("left", 1, 1)])
        producer = KafkaProducer(bootstrap_servers=bootstrap)
        producer.send("left", b"0").get(timeout=20)
        os.write(told, b"1")
        while True:
            producer.send("left", b"0").get(timeout=20)
    os.close(told)
    os.read(ready, 1)
    return honest(bootstrap, topic, group, handle)
