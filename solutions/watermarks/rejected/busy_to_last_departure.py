# rejected: busy_right, busy_merges, busy_late | gap_forgotten | a period ends at its last departure

def busy_periods(departures, gap, delay):
    found = departures.withWatermark("scheduled_at", delay).groupBy(F.session_window("scheduled_at", gap).alias("p"), "carrier").count()
    return found.select(F.col("p.start").alias("period_start"), (F.col("p.end") - F.expr(f"INTERVAL {gap}")).alias("period_end"), "carrier", F.col("count").alias("departures"))
