# accepted: the consumer as an iterator, up to the ends that there were

def read_all(bootstrap, topic, group, handle):
    consumer = KafkaConsumer(
        topic, bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False, auto_offset_reset="earliest"
    )
    places = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic)]
    starts = consumer.beginning_offsets(places)
    before, ends = {place: consumer.committed(place) for place in places}, consumer.end_offsets(places)
    left = {place for place in places if max(before[place] or 0, starts[place]) < ends[place]}
    try:
        while left:
            record = next(consumer)
            place = TopicPartition(topic, record.partition)
            if record.offset < ends[place]:
                handle(record)
                consumer.commit({place: OffsetAndMetadata(record.offset + 1, "", -1)})
            if record.offset + 1 >= ends[place]:
                left.discard(place)
    finally:
        consumer.close()
    return sum(starts[place] - before[place] for place in places if before[place] is not None and before[place] < starts[place])
