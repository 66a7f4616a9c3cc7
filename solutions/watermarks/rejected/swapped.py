# rejected: windows_right, closed_at_once, late_inside, late_outside, edge, one_of_two_windows, without_a_no_data_batch, windows_state, other_values | window_and_delay_swapped | window and delay are swapped

def departures_per_window(departures, window, delay):
    return departures.withWatermark("scheduled_at", window).groupBy(F.window("scheduled_at", delay), "carrier").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "carrier", F.col("count").alias("departures"))
