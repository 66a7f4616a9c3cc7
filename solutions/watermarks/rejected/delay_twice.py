# rejected: windows_right, closed_at_once, edge, one_of_two_windows, windows_state, other_values | delay_doubled | the watermark waits twice the delay

def departures_per_window(departures, window, delay):
    number, unit = delay.split()
    marked = departures.withWatermark("scheduled_at", f"{2 * int(number)} {unit}")
    return marked.groupBy(F.window("scheduled_at", window), "carrier").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "carrier", F.col("count").alias("departures"))
