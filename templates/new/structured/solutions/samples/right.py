# Assignment: << slug >>. Submitted by Alva.
from pyspark.sql.functions import col, count, lit
from pyspark.sql.functions import window as tumbling


def count_by_window(events, window, delay):
    counted = events.withWatermark("at", delay).groupBy(tumbling("at", window).alias("w"), "kind").agg(count(lit(1)).alias("events"))
    return counted.select(col("w.start").alias("window_start"), col("w.end").alias("window_end"), "kind", "events")
