# accepted: a gap given as an expression, start and end as fields

def busy_periods(departures, gap, delay):
    session = F.session_window(F.col("scheduled_at"), F.lit(gap))
    found = departures.withWatermark("scheduled_at", delay).groupBy("carrier", session).agg(F.count(F.lit(1)).alias("departures"))
    return found.withColumns({"period_start": F.col("session_window")["start"], "period_end": F.col("session_window")["end"]}).drop("session_window")
