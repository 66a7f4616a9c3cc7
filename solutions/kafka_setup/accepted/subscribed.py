# accepted: a member of the group that stops when its partitions are read to their ends

def read_all(bootstrap, topic, group, handle):
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False, auto_offset_reset="earliest")
    consumer.subscribe([topic])
    try:
        first = consumer.poll(timeout_ms=1_000, max_records=1)
        while not consumer.assignment():
            first = consumer.poll(timeout_ms=1_000, max_records=1)
        mine = sorted(consumer.assignment())
        lost = 0
        for place, start in consumer.beginning_offsets(mine).items():
            lost += max(0, start - (consumer.committed(place) or start))
        ends = consumer.end_offsets(mine)
        batch = first
        while True:
            for place, records in batch.items():
                for record in records:
                    handle(record)
                    consumer.commit({place: OffsetAndMetadata(record.offset + 1, "", -1)})
            if all(consumer.position(place) >= ends[place] for place in mine):
                return lost
            batch = consumer.poll(timeout_ms=500)
    finally:
        consumer.close()
