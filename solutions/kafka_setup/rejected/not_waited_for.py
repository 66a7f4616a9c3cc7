# rejected: sent | - | it returns before the producer has sent

kept = []


def produce(bootstrap, topic, give_up_ms, readings):
    producer = KafkaProducer(bootstrap_servers=bootstrap, linger_ms=1_000)
    kept.append(producer)
    count = 0
    for reading in readings:
        producer.send(topic, json.dumps(reading).encode(), key=reading["station"].encode(), timestamp_ms=reading["at"])
        count += 1
    return count
