# rejected: windows_run | - | the columns keep Spark's names

def departures_per_window(departures, window, delay):
    return departures.withWatermark("scheduled_at", delay).groupBy(F.window("scheduled_at", window), "carrier").count()
