# accepted: a sum of ones by keyword arguments

def counts_in_event_time(views, event_window, event_slide, offset):
    w = F.window(timeColumn=F.col("at"), windowDuration=event_window, slideDuration=event_slide, startTime=offset)
    sums = views.withColumn("w", w).groupBy("w", "page").agg(F.sum(F.lit(1)).alias("views"))
    return sums.selectExpr("w.start as window_start", "w.end as window_end", "page", "views")
