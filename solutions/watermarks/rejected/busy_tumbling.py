# rejected: busy_right, busy_merges, busy_late | tumbling | tumbling windows where sessions are asked for

def busy_periods(departures, gap, delay):
    return departures.withWatermark("scheduled_at", delay).groupBy(F.window("scheduled_at", gap).alias("p"), "carrier").count().select(F.col("p.start").alias("period_start"), F.col("p.end").alias("period_end"), "carrier", F.col("count").alias("departures"))
