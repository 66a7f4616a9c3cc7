# rejected: unique_forgets, unique_late | watermark_on_departed_at | the watermark is on the time of departure

def unique_departures(departures, delay):
    return departures.withWatermark("departed_at", delay).dropDuplicatesWithinWatermark(["carrier", "flight"]).select("carrier", "flight")
