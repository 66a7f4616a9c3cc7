# attack: starts threads without end
# checks: double_right, counts_hidden
# outcome: double_right=TOO_MANY_PROCESSES
import threading
import time


def double(number):
    while True:
        threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
