# accepted: an alias of the event time keeps the watermark; transform and helper functions

def _marked(frame, delay):
    return frame.withWatermark("scheduled_at", delay).withColumnRenamed("scheduled_at", "at")


def departures_per_window(departures, window, delay):
    counts = departures.transform(_marked, delay).groupBy(F.window("at", window).alias("w"), "carrier").agg(F.count("flight").alias("departures"))
    return counts.select("w.*", "carrier", "departures").toDF("window_start", "window_end", "carrier", "departures")
