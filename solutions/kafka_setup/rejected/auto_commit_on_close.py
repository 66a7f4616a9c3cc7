# rejected: handler_raises | - | close() commits what poll() gave, handled or not

def read_all(bootstrap, topic, group, handle):
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=True, auto_offset_reset="earliest")
    try:
        places = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic)]
        consumer.assign(places)
        starts, ends = consumer.beginning_offsets(places), consumer.end_offsets(places)
        committed = {place: consumer.committed(place) for place in places}
        while any(consumer.position(place) < ends[place] for place in places):
            for place, records in consumer.poll(timeout_ms=500).items():
                for record in records:
                    handle(record)
        return sum(max(0, starts[place] - at) for place, at in committed.items() if at is not None)
    finally:
        consumer.close()
