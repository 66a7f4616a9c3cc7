# rejected: offset, overlap, tumbling | event_time_is_logged_at | the time of the log line

def counts_in_event_time(views, event_window, event_slide, offset):
    return views.groupBy(F.window("logged_at", event_window, event_slide, offset), "page").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "page", F.col("count").alias("views"))
