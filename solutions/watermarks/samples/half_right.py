# Assignment: watermarks. Submitted by Bo, who took the delay for seconds and did not get to the sessions.
from pyspark.sql import functions as F


def departures_per_window(departures, window, delay):
    seconds = delay.split()[0] + " seconds"
    counts = departures.withWatermark("scheduled_at", seconds).groupBy(F.window("scheduled_at", window), "carrier").count()
    return counts.select(
        F.col("window.start").alias("window_start"),
        F.col("window.end").alias("window_end"),
        "carrier",
        F.col("count").alias("departures"),
    )


def unique_departures(departures, delay):
    return departures.withWatermark("scheduled_at", delay).dropDuplicates(["carrier", "flight"]).select("carrier", "flight")


def busy_periods(departures, gap, delay):
    raise NotImplementedError("write this function")
