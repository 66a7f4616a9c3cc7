# attack: takes memory that is shared, which counts for no limit of a process
# checks: double_right
# outcome: double_right=ERROR
import mmap


def double(number):
    kept = []
    while True:
        kept.append(mmap.mmap(-1, 100_000_000))
        kept[-1].write(bytes(100_000_000))
