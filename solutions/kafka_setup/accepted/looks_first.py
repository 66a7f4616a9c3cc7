# accepted: looks whether the topic is there, and checks the name itself

import re


def create_topic(bootstrap, topic, partitions, replication, retention_ms, min_insync):
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,249}", topic) or topic in (".", ".."):
        return "invalid"
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    try:
        if topic not in admin.list_topics():
            admin.create_topics(
                [NewTopic(topic, partitions, replication, topic_configs={"retention.ms": retention_ms, "min.insync.replicas": min_insync})]
            )
            return "created"
        described = admin.describe_topics([topic])[0]["partitions"]
        configs = admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)], config_filter="all")["topic"][topic]
        facts = (len(described), len(described[0]["replica_nodes"]), configs["retention.ms"]["value"], configs["min.insync.replicas"]["value"])
        return "unchanged" if facts == (partitions, replication, str(retention_ms), str(min_insync)) else "different"
    finally:
        admin.close()
