# rejected: overlap, edges, offset, tumbling | page_forgotten | the page is not in the key

def counts_in_event_time(views, event_window, event_slide, offset):
    counted = views.groupBy(F.window("at", event_window, event_slide, offset)).count().withColumn("page", F.lit(None).cast("string"))
    return counted.select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "page", F.col("count").alias("views"))
