# rejected: unique_runs | no_watermark | there is no watermark to deduplicate within

def unique_departures(departures, delay):
    return departures.dropDuplicatesWithinWatermark(["carrier", "flight"]).select("carrier", "flight")
