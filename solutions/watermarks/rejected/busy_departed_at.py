# rejected: busy_merges, busy_late | event_time_is_departed_at | the session is on the time of departure

def busy_periods(departures, gap, delay):
    return departures.withWatermark("departed_at", delay).groupBy(F.session_window("departed_at", gap).alias("p"), "carrier").count().select(F.col("p.start").alias("period_start"), F.col("p.end").alias("period_end"), "carrier", F.col("count").alias("departures"))
