# rejected: other_values, without_a_no_data_batch | delay_hard_coded | the delay is written into the code

def departures_per_window(departures, window, delay):
    return departures.withWatermark("scheduled_at", "10 minutes").groupBy(F.window("scheduled_at", window), "carrier").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "carrier", F.col("count").alias("departures"))
