# rejected: final_runs | append_without_watermark | no watermark

def final_counts(views, window, delay):
    counted = views.groupBy(F.window("at", window), "page").count()
    named = counted.select(
        F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "page", F.col("count").alias("views")
    )
    return named.writeStream.outputMode("append")
