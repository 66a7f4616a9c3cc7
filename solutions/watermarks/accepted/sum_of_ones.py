# accepted: a column of ones, summed; the window made beforehand

def departures_per_window(departures, window, delay):
    marked = departures.select("scheduled_at", "carrier").withWatermark("scheduled_at", delay)
    ones = marked.withColumn("w", F.window(F.col("scheduled_at"), window, window)).withColumn("one", F.lit(1))
    sums = ones.groupBy("carrier", "w").agg(F.sum("one").alias("departures"))
    return sums.select("carrier", "departures", sums.w.start.alias("window_start"), sums.w.end.alias("window_end"))
