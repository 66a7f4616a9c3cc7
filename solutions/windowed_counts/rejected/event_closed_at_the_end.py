# rejected: edges, offset, overlap, tumbling | closed_at_the_end | windows hold their end

def counts_in_event_time(views, event_window, event_slide, offset):
    return views.groupBy(F.window(F.col("at") - F.expr("INTERVAL 1 MICROSECOND"), event_window, event_slide, offset), "page").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "page", F.col("count").alias("views"))
