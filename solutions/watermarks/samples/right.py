# Assignment: watermarks. Submitted by Alva.
from pyspark.sql.functions import col, count, lit, session_window
from pyspark.sql.functions import window as tumbling


def departures_per_window(departures, window, delay):
    by_window = departures.withWatermark("scheduled_at", delay).groupBy(tumbling("scheduled_at", window).alias("w"), "carrier")
    counted = by_window.agg(count(lit(1)).alias("departures"))
    return counted.select(col("w.start").alias("window_start"), col("w.end").alias("window_end"), "carrier", "departures")


def unique_departures(departures, delay):
    seen_once = departures.withWatermark("scheduled_at", delay).dropDuplicatesWithinWatermark(["carrier", "flight"])
    return seen_once.select("carrier", "flight")


def busy_periods(departures, gap, delay):
    periods = departures.withWatermark("scheduled_at", delay).groupBy(session_window("scheduled_at", gap).alias("s"), "carrier")
    counted = periods.agg(count("*").alias("departures"))
    return counted.select(col("s.start").alias("period_start"), col("s.end").alias("period_end"), "carrier", "departures")
