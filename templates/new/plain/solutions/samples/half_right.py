# Assignment: << slug >>. Submitted by Bo, who forgot what lies before the epoch.
def window_start(at, length):
    return int(at / length) * length
