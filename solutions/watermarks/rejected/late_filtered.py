# rejected: windows_right, late_inside, other_values | late_filtered | departures that left late are filtered out

def departures_per_window(departures, window, delay):
    return departures.where("departed_at = scheduled_at").withWatermark("scheduled_at", delay).groupBy(F.window("scheduled_at", window), "carrier").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "carrier", F.col("count").alias("departures"))
