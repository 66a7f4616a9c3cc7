# accepted: deduplication behind a projection, watermark in SQL view

def unique_departures(departures, delay):
    keys = ["carrier", "flight"]
    slim = departures.withWatermark("scheduled_at", delay).select("scheduled_at", *keys)
    return slim.dropDuplicatesWithinWatermark(keys).drop("scheduled_at")
