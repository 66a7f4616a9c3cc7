# rejected: windows_right, closed_at_once, late_inside, late_outside, edge, one_of_two_windows, without_a_no_data_batch, windows_state, other_values | carrier_forgotten | the carrier is not in the key

def departures_per_window(departures, window, delay):
    counts = departures.withWatermark("scheduled_at", delay).groupBy(F.window("scheduled_at", window)).count().withColumn("carrier", F.lit(None).cast("string"))
    return counts.select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "carrier", F.col("count").alias("departures"))
