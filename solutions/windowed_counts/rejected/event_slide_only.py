# rejected: overlap, edges, offset | slide_only | windows as long as the slide

def counts_in_event_time(views, event_window, event_slide, offset):
    return views.groupBy(F.window("at", event_slide, event_slide, offset), "page").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "page", F.col("count").alias("views"))
