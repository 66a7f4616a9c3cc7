# accepted: a partition at a time

def count_station(bootstrap, topic, station):
    consumer, count = KafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False), 0
    for number in sorted(consumer.partitions_for_topic(topic)):
        place = TopicPartition(topic, number)
        end = consumer.end_offsets([place])[place]
        consumer.assign([place])
        consumer.seek(place, 0)
        while consumer.position(place) < end:
            count += [r.key.decode() for found in consumer.poll(timeout_ms=500).values() for r in found].count(station)
    consumer.close()
    return count
