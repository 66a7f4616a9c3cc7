# rejected: final_late, final_other_values | no_delay | the watermark does not wait

def final_counts(views, window, delay):
    counted = views.withWatermark("at", "0 seconds").groupBy(F.window("at", window), "page").count()
    named = counted.select(
        F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "page", F.col("count").alias("views")
    )
    return named.writeStream.outputMode("append")
