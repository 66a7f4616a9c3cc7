# rejected: leader_dies | - | a second and a half, whatever is asked for

def produce(bootstrap, topic, give_up_ms, readings):
    producer = KafkaProducer(bootstrap_servers=bootstrap, acks="all", delivery_timeout_ms=1_500, request_timeout_ms=1_500, enable_idempotence=False)
    waiting = []
    for reading in readings:
        try:
            value = json.dumps(reading).encode()
        except TypeError:
            continue
        waiting.append(producer.send(topic, value, key=reading["station"].encode(), timestamp_ms=reading["at"]))
    producer.flush()
    producer.close()
    return sum(future.succeeded() for future in waiting)
