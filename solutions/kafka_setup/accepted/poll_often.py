# accepted: a member that polls for ten milliseconds and commits each record

def work(bootstrap, topic, group, handle, running):
    consumer = KafkaConsumer(topic, bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False, auto_offset_reset="earliest")
    while running():
        for place, records in consumer.poll(timeout_ms=10).items():
            for record in records:
                handle(record)
                consumer.commit({place: OffsetAndMetadata(record.offset + 1, "", -1)})
    consumer.close()
