# rejected: event_time, order | time_of_sending | no timestamp is given

def produce(bootstrap, topic, give_up_ms, readings):
    producer = KafkaProducer(bootstrap_servers=bootstrap, acks="all", delivery_timeout_ms=give_up_ms, request_timeout_ms=min(give_up_ms, 5_000), enable_idempotence=False)
    waiting = []
    for reading in readings:
        try:
            value = json.dumps(reading).encode()
        except TypeError:
            continue
        waiting.append(producer.send(topic, value, key=reading["station"].encode()))
    producer.flush()
    producer.close()
    return sum(future.succeeded() for future in waiting)
