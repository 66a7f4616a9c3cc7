# Assignment: << slug >>. Submitted by Cleo, who gives the window's end.
def window_start(at, length):
    return at // length * length + length
