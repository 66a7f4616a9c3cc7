# rejected: works, two_groups | - | the group is not the one it is given

def work(bootstrap, topic, group, handle, running):
    consumer = KafkaConsumer(topic, bootstrap_servers=bootstrap, group_id=f"{topic}-readers", enable_auto_commit=False, auto_offset_reset="earliest")
    while running():
        for place, records in consumer.poll(timeout_ms=200).items():
            for record in records:
                handle(record)
            consumer.commit({place: OffsetAndMetadata(records[-1].offset + 1, "", -1)})
    consumer.close()
