# rejected: windows_run | no_watermark_on_the_window | the watermark is on a column that is not the window's

def departures_per_window(departures, window, delay):
    return departures.withWatermark("departed_at", delay).groupBy(F.window("scheduled_at", window), "carrier").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "carrier", F.col("count").alias("departures"))
