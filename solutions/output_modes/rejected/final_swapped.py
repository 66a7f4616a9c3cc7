# rejected: final_once, final_late, final_other_values | swapped | window and delay are swapped

def final_counts(views, window, delay):
    counted = views.withWatermark("at", window).groupBy(F.window("at", delay), "page").count()
    named = counted.select(
        F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "page", F.col("count").alias("views")
    )
    return named.writeStream.outputMode("append")
