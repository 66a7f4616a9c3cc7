# rejected: edge, late_inside, one_of_two_windows, windows_right, windows_state, without_a_no_data_batch | delay_in_seconds | the delay is taken in seconds

def departures_per_window(departures, window, delay):
    return departures.withWatermark("scheduled_at", delay.replace("minute", "second")).groupBy(F.window("scheduled_at", window), "carrier").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "carrier", F.col("count").alias("departures"))
