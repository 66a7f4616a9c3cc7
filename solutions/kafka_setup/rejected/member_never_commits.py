# rejected: two_groups, works | - | nothing is committed

def work(bootstrap, topic, group, handle, running):
    consumer = KafkaConsumer(topic, bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False, auto_offset_reset="earliest")
    while running():
        for place, records in consumer.poll(timeout_ms=200).items():
            for record in records:
                handle(record)
    consumer.close()
