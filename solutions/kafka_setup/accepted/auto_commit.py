# accepted: auto-commit, which commits on close() too

def work(bootstrap, topic, group, handle, running):
    consumer = KafkaConsumer(
        topic, bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=True, auto_commit_interval_ms=200, auto_offset_reset="earliest"
    )
    while running():
        for records in consumer.poll(timeout_ms=500).values():
            for record in records:
                handle(record)
    consumer.close()
