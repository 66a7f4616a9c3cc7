# accepted: commits in the background, and once more at the end

def work(bootstrap, topic, group, handle, running):
    consumer = KafkaConsumer(topic, bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False, auto_offset_reset="earliest")
    handled = {}
    while running():
        for place, records in consumer.poll(timeout_ms=300).items():
            for record in records:
                handle(record)
                handled[place] = OffsetAndMetadata(record.offset + 1, "", -1)
            consumer.commit_async(dict(handled))
    mine = {place: offset for place, offset in handled.items() if place in consumer.assignment()}
    if mine:
        consumer.commit(mine)
    consumer.close()
