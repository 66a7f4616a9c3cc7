# rejected: unique_forgets, unique_late, unique_right | departure_in_the_key | the departure time is in the key

def unique_departures(departures, delay):
    return departures.withWatermark("scheduled_at", delay).dropDuplicatesWithinWatermark(["carrier", "flight", "departed_at"]).select("carrier", "flight")
