# attack: catches whatever could end it
# checks: double_right, counts_hidden
# outcome: double_right=TIMEOUT
import signal
import time


def double(number):
    for name in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(name, signal.SIG_IGN)
    while True:
        try:
            time.sleep(3600)
        except BaseException:
            pass
