# rejected: busy_right, busy_merges, busy_late | gap_too_short | the gap is a millisecond short

def busy_periods(departures, gap, delay):
    number, unit = gap.split()
    short = f"{int(number) * {'second': 1000, 'minute': 60_000, 'hour': 3_600_000}[unit.rstrip('s')] - 1} milliseconds"
    return departures.withWatermark("scheduled_at", delay).groupBy(F.session_window("scheduled_at", short).alias("p"), "carrier").count().select(F.col("p.start").alias("period_start"), F.col("p.end").alias("period_end"), "carrier", F.col("count").alias("departures"))
