# rejected: final_late, final_other_values | delay_hard_coded | the delay is written into the code

def final_counts(views, window, delay):
    counted = views.withWatermark("at", "5 minutes").groupBy(F.window("at", window), "page").count()
    named = counted.select(
        F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "page", F.col("count").alias("views")
    )
    return named.writeStream.outputMode("append")
