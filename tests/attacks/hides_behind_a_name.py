# attack: starts many processes under a name that is no text
# checks: double_right
# outcome: double_right=TOO_MANY_PROCESSES
import ctypes
import os


def double(number):
    ctypes.CDLL(None).prctl(15, b"\xff) \xfe\n", 0, 0, 0)
    nothing, _ = os.pipe()
    for _ in range(1000):
        if os.fork() == 0:
            break
    os.read(nothing, 1)
