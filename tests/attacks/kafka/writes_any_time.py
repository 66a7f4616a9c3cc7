# attack: writes records of times that no calendar has
# checks: reads, sent
# outcome: sent=FAILED


def produce(bootstrap, topic, give_up_ms, readings):
    producer = KafkaProducer(bootstrap_servers=bootstrap)  # noqa: F821
    for at in (2**62, 2**53, 253_402_300_800_000):
        try:
            producer.send(topic, b"{}", key=b"a", timestamp_ms=at).get(timeout=5)
        except Exception:
            continue
    producer.close()
    return 3
