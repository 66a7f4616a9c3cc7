# rejected: final_once, final_late, final_other_values | complete_for_append | complete where append is asked for

def final_counts(views, window, delay):
    counted = views.withWatermark("at", delay).groupBy(F.window("at", window), "page").count()
    named = counted.select(
        F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "page", F.col("count").alias("views")
    )
    return named.writeStream.outputMode("complete")
