"""What this machine has: folders, Java, Spark's JVM and its class cache."""
