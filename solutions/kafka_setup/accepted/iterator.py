# accepted: the consumer as an iterator that ends when nothing comes

def read_all(bootstrap, topic, group, handle):
    consumer = KafkaConsumer(
        topic, bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False, auto_offset_reset="earliest", consumer_timeout_ms=4_000
    )
    places = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic)]
    starts = consumer.beginning_offsets(places)
    before = {place: consumer.committed(place) for place in places}
    try:
        for record in consumer:
            handle(record)
            consumer.commit({TopicPartition(topic, record.partition): OffsetAndMetadata(record.offset + 1, "", -1)})
    finally:
        consumer.close()
    return sum(starts[place] - before[place] for place in places if before[place] is not None and before[place] < starts[place])
