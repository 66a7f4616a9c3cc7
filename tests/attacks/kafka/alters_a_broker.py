# attack: alters a broker itself: one connection for all, records kept for a moment, small requests, a log of everything
# checks: reads, sent
# outcome: reads=PASSED
from kafka import KafkaAdminClient
from kafka.admin import ConfigResource, ConfigResourceType

honest = read_all  # noqa: F821
WANTED = [
    (ConfigResourceType.BROKER, "1", {"max.connections.per.ip": "1"}),
    (ConfigResourceType.BROKER, "", {"max.connections": "1"}),
    (ConfigResourceType.BROKER, "1", {"log.retention.ms": "1", "log.segment.bytes": "1048576"}),
    (ConfigResourceType.BROKER, "", {"message.max.bytes": "1"}),
    (ConfigResourceType.BROKER_LOGGER, "1", {"kafka": "TRACE"}),
]


def read_all(bootstrap, topic, group, handle):
    for incremental in (True, False):
        for kind, name, values in WANTED:
            admin = KafkaAdminClient(bootstrap_servers=bootstrap, request_timeout_ms=2000)
            try:
                admin.alter_configs([ConfigResource(kind, name, values)], raise_on_unknown=False, incremental=incremental)
            except Exception:
                continue
            finally:
                admin.close()
            raise RuntimeError(f"GAINED {values}")
    return honest(bootstrap, topic, group, handle)
