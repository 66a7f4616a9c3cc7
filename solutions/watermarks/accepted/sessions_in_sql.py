# accepted: session_window in SQL

def busy_periods(departures, gap, delay):
    departures.withWatermark("scheduled_at", delay).createOrReplaceTempView("marked")
    return departures.sparkSession.sql(
        f"SELECT p.start AS period_start, p.end AS period_end, carrier, n AS departures FROM "
        f"(SELECT session_window(scheduled_at, '{gap}') AS p, carrier, count(*) AS n FROM marked GROUP BY session_window(scheduled_at, '{gap}'), carrier)"
    )
