# attack: takes memory in many processes, each within its own limit
# checks: double_right
# outcome: double_right=OUT_OF_MEMORY
import os


def double(number):
    for _ in range(20):
        if os.fork() == 0:
            break
    kept = [bytearray(b"x") * 10_000_000 for _ in range(30)]
    os.read(os.pipe()[0], 1)
