# accepted: SQL over a temporary view

def counts_in_event_time(views, event_window, event_slide, offset):
    views.createOrReplaceTempView("views")
    return views.sparkSession.sql(
        f"SELECT w.start AS window_start, w.end AS window_end, page, views FROM (SELECT window(at, '{event_window}', '{event_slide}', '{offset}') AS w, "
        "page, count(*) AS views FROM views GROUP BY 1, 2)"
    )
