# rejected: final_late, final_other_values | window_hard_coded | the window is written into the code

def final_counts(views, window, delay):
    counted = views.withWatermark("at", delay).groupBy(F.window("at", "10 minutes"), "page").count()
    named = counted.select(
        F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "page", F.col("count").alias("views")
    )
    return named.writeStream.outputMode("append")
