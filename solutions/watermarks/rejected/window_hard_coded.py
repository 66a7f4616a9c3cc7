# rejected: other_values, without_a_no_data_batch | window_hard_coded | the window's length is written into the code

def departures_per_window(departures, window, delay):
    return departures.withWatermark("scheduled_at", delay).groupBy(F.window("scheduled_at", "15 minutes"), "carrier").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "carrier", F.col("count").alias("departures"))
