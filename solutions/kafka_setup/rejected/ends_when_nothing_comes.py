# rejected: shares, idle_member, goes_on | - | two seconds without a record end it

def work(bootstrap, topic, group, handle, running):
    consumer = KafkaConsumer(topic, bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False, auto_offset_reset="earliest")
    empty = 0
    while running() and empty < 10:
        found = consumer.poll(timeout_ms=200)
        empty = 0 if found else empty + 1
        for place, records in found.items():
            for record in records:
                handle(record)
            consumer.commit({place: OffsetAndMetadata(records[-1].offset + 1, "", -1)})
    consumer.close()
