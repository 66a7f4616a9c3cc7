# attack: takes memory without end
# checks: double_right, counts_hidden
# outcome: double_right=OUT_OF_MEMORY
import os


def double(number):
    kept = []
    while True:
        kept.append(bytearray(50_000_000))
