# rejected: right | all_counted | the key is not looked at

def count_station(bootstrap, topic, station):
    consumer = KafkaConsumer(bootstrap_servers=bootstrap)
    places = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic)]
    count = sum(consumer.end_offsets(places).values())
    consumer.close()
    return count
