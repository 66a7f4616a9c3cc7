# rejected: busy_runs | no_watermark | there is no watermark

def busy_periods(departures, gap, delay):
    return departures.groupBy(F.session_window("scheduled_at", gap).alias("p"), "carrier").count().select(F.col("p.start").alias("period_start"), F.col("p.end").alias("period_end"), "carrier", F.col("count").alias("departures"))
