# attack: says more than anybody would listen to
# checks: reads, sent
# outcome: reads=TOO_MUCH_OUTPUT
import os


def read_all(bootstrap, topic, group, handle):
    while True:
        for number in range(3, 20):
            try:
                os.write(number, b"\0" * 65536)
            except OSError:
                continue
