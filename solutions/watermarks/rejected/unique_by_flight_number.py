# rejected: unique_late, unique_right | flight_only | the carrier is not in the key

def unique_departures(departures, delay):
    return departures.withWatermark("scheduled_at", delay).dropDuplicatesWithinWatermark(["flight"]).select("carrier", "flight")
