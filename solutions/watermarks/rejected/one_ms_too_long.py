# rejected: edge | one_ms_too_long | the delay is a millisecond too long

def departures_per_window(departures, window, delay):
    return departures.withWatermark("scheduled_at", f"{delay} 1 millisecond").groupBy(F.window("scheduled_at", window), "carrier").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "carrier", F.col("count").alias("departures"))
