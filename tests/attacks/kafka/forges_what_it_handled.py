# attack: says on every descriptor that it has handled whatever may be there, and reads nothing
# checks: reads, sent
# outcome: reads=FAILED
import json
import os
import stat


def read_all(bootstrap, topic, group, handle):
    for number in range(3, 200):
        try:
            if stat.S_ISFIFO(os.fstat(number).st_mode):
                for place in range(400):
                    os.write(number, json.dumps({"handled": [place // 100, place % 100]}).encode() + b"\n")
        except OSError:
            continue
    return 0
