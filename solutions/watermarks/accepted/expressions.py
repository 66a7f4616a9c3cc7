# accepted: expressions in text with selectExpr and agg

def departures_per_window(departures, window, delay):
    counted = departures.withWatermark("scheduled_at", delay).groupBy(F.expr(f"window(scheduled_at, '{window}') AS w"), F.col("carrier"))
    return counted.agg(F.expr("count(1) AS departures")).selectExpr("w.start AS window_start", "w.end AS window_end", "carrier", "departures")
