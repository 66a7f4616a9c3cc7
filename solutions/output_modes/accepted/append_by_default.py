# accepted: append is the default mode

def final_counts(views, window, delay):
    bucket = F.window(F.col("at"), window)
    counted = views.withWatermark("at", delay).groupBy("page", bucket).agg(F.count(F.lit(1)).alias("views"))
    return counted.selectExpr("window.start AS window_start", "window.end AS window_end", "page", "views").writeStream
