# attack: says that it has ended, and goes on
# checks: reads, sent
# outcome: reads=PASSED
import os
import stat

honest = read_all  # noqa: F821


def read_all(bootstrap, topic, group, handle):
    honest(bootstrap, topic, group, handle)
    for number in range(3, 200):
        try:
            if stat.S_ISFIFO(os.fstat(number).st_mode):
                os.write(number, b'{"ended": "returned 0"}\n{"gone": "gone"}\n')
        except OSError:
            continue
    while True:
        os.read(os.pipe()[0], 1)
