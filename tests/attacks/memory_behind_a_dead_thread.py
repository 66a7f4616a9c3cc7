# attack: takes memory in processes whose first thread has ended, so that they look as if they were gone
# checks: double_right
# outcome: double_right=OUT_OF_MEMORY
import ctypes
import os
import threading


def fill():
    kept = [bytearray(b"x") * 10_000_000 for _ in range(30)]
    os.read(os.pipe()[0], len(kept))


def double(number):
    for _ in range(20):
        if os.fork() == 0:
            threading.Thread(target=fill).start()
            ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)
    os.read(os.pipe()[0], 1)
