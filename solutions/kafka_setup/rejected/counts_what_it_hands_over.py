# rejected: acks | too_few_acks | it counts what it hands to the producer, not what arrives

def produce(bootstrap, topic, give_up_ms, readings):
    producer = KafkaProducer(bootstrap_servers=bootstrap, delivery_timeout_ms=give_up_ms, request_timeout_ms=min(give_up_ms, 5_000), enable_idempotence=False)
    count = 0
    for reading in readings:
        try:
            value = json.dumps(reading).encode()
        except TypeError:
            continue
        producer.send(topic, value, key=reading["station"].encode(), timestamp_ms=reading["at"])
        count += 1
    producer.flush()
    return count
