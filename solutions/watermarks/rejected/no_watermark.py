# rejected: windows_run | no_watermark_on_the_window | there is no watermark at all

def departures_per_window(departures, window, delay):
    return departures.groupBy(F.window("scheduled_at", window), "carrier").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "carrier", F.col("count").alias("departures"))
