# attack: stops its process, which then answers nothing
# checks: double_right, counts_hidden
# outcome: double_right=TIMEOUT
import os
import signal


def double(number):
    os.kill(os.getpid(), signal.SIGSTOP)
    return 2 * number
