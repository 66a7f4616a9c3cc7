# accepted: SQL over a temporary view

def departures_per_window(departures, window, delay):
    departures.withWatermark("scheduled_at", delay).createOrReplaceTempView("departures")
    return departures.sparkSession.sql(
        f"SELECT window.start AS window_start, window.end AS window_end, carrier, departures FROM "
        f"(SELECT window(scheduled_at, '{window}') AS window, carrier, count(*) AS departures FROM departures GROUP BY 1, 2)"
    )
