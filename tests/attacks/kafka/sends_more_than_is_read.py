# attack: sends many records, and large ones, so that the grader reads them all into its memory
# checks: reads, sent
# outcome: sent=TOO_MUCH_OUTPUT


def produce(bootstrap, topic, give_up_ms, readings):
    producer = KafkaProducer(bootstrap_servers=bootstrap, linger_ms=20)  # noqa: F821
    for _ in range(20):
        producer.send(topic, b"[" + b"[]," * 200_000 + b"0]")
    for _ in range(30_000):
        producer.send(topic, b"0")
    producer.flush()
    return 3
