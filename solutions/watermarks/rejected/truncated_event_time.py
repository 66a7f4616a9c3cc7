# rejected: windows_run | no_watermark_on_the_window | date_trunc makes a new column that has no watermark

def departures_per_window(departures, window, delay):
    return departures.withWatermark("scheduled_at", delay).withColumn("scheduled_at", F.date_trunc("second", "scheduled_at")).groupBy(F.window("scheduled_at", window), "carrier").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "carrier", F.col("count").alias("departures"))
