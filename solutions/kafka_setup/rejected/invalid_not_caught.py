# rejected: invalid_name | invalid_unhandled | the error that the name is not valid is not caught

def create_topic(bootstrap, topic, partitions, replication, retention_ms, min_insync):
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    settings = {"retention.ms": str(retention_ms), "min.insync.replicas": str(min_insync)}
    try:
        admin.create_topics([NewTopic(topic, partitions, replication, topic_configs=settings)])
        return "created"
    except TopicAlreadyExistsError:
        found = admin.describe_topics([topic])[0]["partitions"]
        values = admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic, list(settings))], config_filter="all")["topic"][topic]
        same = [len(each["replica_nodes"]) for each in found] == [replication] * partitions
        same = same and all(values[name]["value"] == value for name, value in settings.items())
        return "unchanged" if same else "different"
    finally:
        admin.close()
