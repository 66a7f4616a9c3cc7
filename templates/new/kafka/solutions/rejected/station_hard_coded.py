# rejected: other_station | station_hard_coded | the station is written into the code

def count_station(bootstrap, topic, station):
    consumer, count = KafkaConsumer(bootstrap_servers=bootstrap), 0
    places = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic)]
    consumer.assign(places)
    consumer.seek_to_beginning(*places)
    ends = consumer.end_offsets(places)
    while any(consumer.position(place) < ends[place] for place in places):
        count += sum(record.key == b"Oslo" for found in consumer.poll(timeout_ms=500).values() for record in found)
    consumer.close()
    return count
