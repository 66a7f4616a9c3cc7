# rejected: runs | no_watermark | there is no watermark at all

def count_by_window(events, window, delay):
    counts = events.groupBy(F.window("at", window), "kind").agg(F.count("*").alias("events"))
    return counts.select("window.start", "window.end", "kind", "events").toDF("window_start", "window_end", "kind", "events")
