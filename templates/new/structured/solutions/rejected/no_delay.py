# rejected: right, late | no_delay | the watermark does not wait

def count_by_window(events, window, delay):
    counts = events.withWatermark("at", "0 seconds").groupBy(F.window("at", window), "kind").agg(F.count("*").alias("events"))
    return counts.select("window.start", "window.end", "kind", "events").toDF("window_start", "window_end", "kind", "events")
