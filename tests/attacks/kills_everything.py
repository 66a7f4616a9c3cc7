# attack: kills all that it can reach
# checks: double_right, counts_hidden
# outcome: double_right=ERROR
import os
import signal


def double(number):
    os.kill(-1, signal.SIGKILL)
    return 2 * number
