# rejected: unique_forgets, unique_late, unique_right | time_in_the_key | the scheduled time is in the key

def unique_departures(departures, delay):
    return departures.withWatermark("scheduled_at", delay).dropDuplicates(["carrier", "flight", "scheduled_at"]).select("carrier", "flight")
