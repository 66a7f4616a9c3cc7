# attack: leaves threads, exit handlers and a process of its own behind
# checks: double_right, counts_hidden
# outcome: double_right=PASSED
import atexit
import os
import threading
import time


def double(number):
    atexit.register(print, "GAINED")
    threading.Thread(target=time.sleep, args=(3600,)).start()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(3600)
        os._exit(0)
    return 2 * number
