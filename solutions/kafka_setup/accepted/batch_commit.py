# accepted: reads in batches and commits a batch at its end, or what was handled of it

def read_all(bootstrap, topic, group, handle):
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False, auto_offset_reset="earliest")
    places = [TopicPartition(topic, number) for number in sorted(consumer.partitions_for_topic(topic))]
    consumer.assign(places)
    starts, ends, lost = consumer.beginning_offsets(places), consumer.end_offsets(places), 0
    for place in places:
        committed = consumer.committed(place)
        if committed is not None and committed < starts[place]:
            lost += starts[place] - committed
            consumer.seek(place, starts[place])
    done = {}
    try:
        while any(consumer.position(place) < ends[place] for place in places):
            for place, records in consumer.poll(timeout_ms=1_000, max_records=5).items():
                for record in records:
                    handle(record)
                    done[place] = OffsetAndMetadata(record.offset + 1, "", -1)
            if done:
                consumer.commit(done)
    except BaseException:
        if done:
            consumer.commit(done)
        raise
    finally:
        consumer.close()
    return lost
