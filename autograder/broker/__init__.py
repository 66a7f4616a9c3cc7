"""Apache Kafka itself, started and stopped by the kit on a machine with Python only."""
