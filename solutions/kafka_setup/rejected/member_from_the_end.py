# rejected: works, two_groups | - | a new group begins with what comes next

def work(bootstrap, topic, group, handle, running):
    consumer = KafkaConsumer(topic, bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False, auto_offset_reset="latest")
    while running():
        for place, records in consumer.poll(timeout_ms=200).items():
            for record in records:
                handle(record)
            consumer.commit({place: OffsetAndMetadata(records[-1].offset + 1, "", -1)})
    consumer.close()
