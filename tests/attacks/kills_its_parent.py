# attack: kills the process that started it
# checks: double_right, counts_hidden
# outcome: double_right=ERROR
import os
import signal


def double(number):
    os.kill(os.getppid(), signal.SIGKILL)
    return 2 * number
