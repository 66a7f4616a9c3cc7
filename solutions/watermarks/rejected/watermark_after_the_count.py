# rejected: windows_run | no_watermark_on_the_window | the watermark stands behind the aggregation

def departures_per_window(departures, window, delay):
    counts = departures.groupBy(F.window("scheduled_at", window), "carrier").count()
    shaped = counts.select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "carrier", F.col("count").alias("departures"))
    return shaped.withWatermark("window_end", delay)
