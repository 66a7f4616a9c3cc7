"""<< slug >>: count the records of a station in a topic."""

from kafka import KafkaConsumer, TopicPartition


def count_station(bootstrap: str, topic: str, station: str) -> int:
    """How many records have this key, from the beginning of every partition to the end that it has now."""
    ### BEGIN SOLUTION
    consumer = KafkaConsumer(bootstrap_servers=bootstrap)
    try:
        places = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic)]
        consumer.assign(places)
        consumer.seek_to_beginning(*places)
        ends = consumer.end_offsets(places)
        count = 0
        while any(consumer.position(place) < ends[place] for place in places):
            for records in consumer.poll(timeout_ms=500).values():
                count += sum(record.key == station.encode() for record in records)
        return count
    finally:
        consumer.close()
    ### END SOLUTION
