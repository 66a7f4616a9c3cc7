# rejected: busy_late, busy_merges | gap_hard_coded | the gap is written into the code

def busy_periods(departures, gap, delay):
    return departures.withWatermark("scheduled_at", delay).groupBy(F.session_window("scheduled_at", "20 minutes").alias("p"), "carrier").count().select(F.col("p.start").alias("period_start"), F.col("p.end").alias("period_end"), "carrier", F.col("count").alias("departures"))
