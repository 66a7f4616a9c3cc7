# rejected: shares, idle_member | - | every member takes all partitions

def work(bootstrap, topic, group, handle, running):
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False, auto_offset_reset="earliest")
    consumer.assign([TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic)])
    while running():
        for place, records in consumer.poll(timeout_ms=200).items():
            for record in records:
                handle(record)
            consumer.commit({place: OffsetAndMetadata(records[-1].offset + 1, "", -1)})
    consumer.close()
