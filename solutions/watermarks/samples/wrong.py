# Assignment: watermarks. Submitted by Cleo, who wrote a batch program.
from pyspark.sql import functions as F


def departures_per_window(departures, window, delay):
    counts = departures.groupBy(F.window("scheduled_at", window), "carrier").count()
    counts.show()
    return counts


def unique_departures(departures, delay):
    query = departures.select("carrier", "flight").distinct().writeStream.format("console").start()
    query.awaitTermination()


def busy_periods(departures, gap, delay):
    rows = departures.collect()
    return len(rows)
