# Assignment: << slug >>. Submitted by Bo, who wrote the delay into the code.
from pyspark.sql import functions as F


def count_by_window(events, window, delay):
    counts = events.withWatermark("at", "5 minutes").groupBy(F.window("at", window), "kind").count()
    return counts.select(
        F.col("window.start").alias("window_start"),
        F.col("window.end").alias("window_end"),
        "kind",
        F.col("count").alias("events"),
    )
