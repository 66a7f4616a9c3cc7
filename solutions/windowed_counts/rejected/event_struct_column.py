# rejected: event_runs | - | the window stays a struct

def counts_in_event_time(views, event_window, event_slide, offset):
    return views.groupBy(F.window("at", event_window, event_slide, offset), "page").agg(F.count("*").alias("views"))
