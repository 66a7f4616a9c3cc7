# accepted: SQL over a temporary view

def count_by_window(events, window, delay):
    events.withWatermark("at", delay).createOrReplaceTempView("events")
    return events.sparkSession.sql(
        f"SELECT window.start AS window_start, window.end AS window_end, kind, events FROM "
        f"(SELECT window(at, '{window}') AS window, kind, count(*) AS events FROM events GROUP BY 1, 2)"
    )
