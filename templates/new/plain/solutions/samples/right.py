# Assignment: << slug >>. Submitted by Alva.
def window_start(at, length):
    return at // length * length
