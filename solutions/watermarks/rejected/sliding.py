# rejected: windows_right, closed_at_once, late_inside, late_outside, edge, one_of_two_windows, without_a_no_data_batch, windows_state, other_values | sliding | sliding windows where tumbling ones are asked for

def departures_per_window(departures, window, delay):
    number, unit = window.split()
    half = f"{int(number) * {'second': 500, 'minute': 30_000, 'hour': 1_800_000}[unit.rstrip('s')]} milliseconds"
    marked = departures.withWatermark("scheduled_at", delay)
    return marked.groupBy(F.window("scheduled_at", window, half), "carrier").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "carrier", F.col("count").alias("departures"))
