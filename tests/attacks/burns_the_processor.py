# attack: computes for ever in several threads
# checks: double_right, counts_hidden
# outcome: double_right=TIMEOUT
import threading


def double(number):
    for _ in range(8):
        threading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()
    while True:
        pass
