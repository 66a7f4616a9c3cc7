# attack: stops the process that looks after the time limit
# checks: double_right
# outcome: double_right=ERROR
import os
import signal


def double(number):
    os.kill(os.getppid(), signal.SIGSTOP)
    return 2 * number
