# accepted: rules in place of a table

def allowed_modes(query):
    aggregates = query not in {"filter", "distinct", "sorted_filter"}
    closes = query in {"windowed_count_with_watermark", "session_with_watermark"}
    sorts = query in {"sorted_filter", "top_pages"}
    append = "sorting" if sorts else "ok" if closes or not aggregates else "needs_watermark"
    update = "sorting" if sorts else "session_window" if query.startswith("session") else "ok"
    return dict(append=append, update=update, complete="ok" if aggregates else "no_aggregation")
