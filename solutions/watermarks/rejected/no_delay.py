# rejected: edge, late_inside, one_of_two_windows, windows_right, windows_state, without_a_no_data_batch | no_delay | the watermark does not wait

def departures_per_window(departures, window, delay):
    return departures.withWatermark("scheduled_at", "0 seconds").groupBy(F.window("scheduled_at", window), "carrier").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "carrier", F.col("count").alias("departures"))
