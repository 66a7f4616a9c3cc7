# accepted: serialisers, and every record waited for before the next

def produce(bootstrap, topic, give_up_ms, readings):
    producer = KafkaProducer(
        bootstrap_servers=bootstrap.split(","),
        key_serializer=lambda station: station.encode(),
        value_serializer=lambda reading: json.dumps(reading, sort_keys=True, separators=(",", ":")).encode(),
        delivery_timeout_ms=give_up_ms,
        request_timeout_ms=min(5_000, give_up_ms),
    )
    sent = 0
    for reading in readings:
        try:
            producer.send(topic, reading, reading["station"], timestamp_ms=reading["at"]).get(give_up_ms / 1000)
        except Exception:
            continue
        sent += 1
    try:
        producer.close(timeout=0)
    except Exception:
        pass  # what was given up
    return sent
