# rejected: windows_right, late_inside, late_outside, other_values | event_time_is_departed_at | windows and watermark are on the time of departure

def departures_per_window(departures, window, delay):
    return departures.withWatermark("departed_at", delay).groupBy(F.window("departed_at", window), "carrier").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "carrier", F.col("count").alias("departures"))
