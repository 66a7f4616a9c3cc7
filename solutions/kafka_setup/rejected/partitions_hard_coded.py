# rejected: differs, other_topic_values | partitions_hard_coded | four partitions, whatever is asked for

def create_topic(bootstrap, topic, partitions, replication, retention_ms, min_insync):
    partitions = 4
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    settings = {"retention.ms": str(retention_ms), "min.insync.replicas": str(min_insync)}
    try:
        admin.create_topics([NewTopic(topic, partitions, replication, topic_configs=settings)])
        return "created"
    except InvalidTopicError:
        return "invalid"
    except TopicAlreadyExistsError:
        found = admin.describe_topics([topic])[0]["partitions"]
        values = admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic, list(settings))], config_filter="all")["topic"][topic]
        same = len(found) == partitions and all(values[name]["value"] == value for name, value in settings.items())
        return "unchanged" if same else "different"
    finally:
        admin.close()
