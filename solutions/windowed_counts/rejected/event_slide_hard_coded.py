# rejected: offset, tumbling | event_slide_hard_coded | the slide is written into the code

def counts_in_event_time(views, event_window, event_slide, offset):
    return views.groupBy(F.window("at", event_window, "5 minutes", offset), "page").count().select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "page", F.col("count").alias("views"))
