# rejected: unique_late, unique_forgets | never_forgets | no watermark: late reports pass

def unique_departures(departures, delay):
    return departures.dropDuplicates(["carrier", "flight"]).select("carrier", "flight")
