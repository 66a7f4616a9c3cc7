# accepted: a producer with callbacks, without idempotence, flushed

def produce(bootstrap, topic, give_up_ms, readings):
    producer = KafkaProducer(
        bootstrap_servers=bootstrap,
        acks="all",
        enable_idempotence=False,
        max_in_flight_requests_per_connection=1,
        delivery_timeout_ms=give_up_ms,
        request_timeout_ms=min(1_000, give_up_ms),
    )
    arrived = []
    for reading in readings:
        try:
            value = json.dumps(reading).encode("ascii")
        except (TypeError, ValueError):
            continue
        future = producer.send(topic, key=reading["station"].encode("utf-8"), value=value, timestamp_ms=reading["at"])
        future.add_callback(arrived.append)
        future.add_errback(lambda error: None)
    producer.flush()
    producer.close()
    return len(arrived)
