# rejected: unique_late, unique_forgets | never_forgets | dropDuplicates without the event time never forgets

def unique_departures(departures, delay):
    return departures.withWatermark("scheduled_at", delay).dropDuplicates(["carrier", "flight"]).select("carrier", "flight")
