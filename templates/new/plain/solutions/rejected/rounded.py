# rejected: right | rounded | rounded to the nearest start

def window_start(at, length):
    return round(at / length) * length
