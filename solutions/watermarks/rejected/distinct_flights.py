# rejected: other_values | distinct_flights | flight numbers are counted once

def departures_per_window(departures, window, delay):
    return departures.withWatermark("scheduled_at", delay).groupBy(F.window("scheduled_at", window), "carrier").agg(F.approx_count_distinct("flight").alias("count")).select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "carrier", F.col("count").alias("departures"))
