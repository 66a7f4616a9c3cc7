# attack: forks without end
# checks: double_right
# outcome: double_right=TOO_MANY_PROCESSES
import os


def double(number):
    while True:
        try:
            os.fork()
        except OSError:
            pass
