# attack: writes what could be an answer into every descriptor
# checks: double_right, counts_hidden
# outcome: double_right=ERROR
import os


def double(number):
    for descriptor in range(3, 200):
        try:
            os.write(descriptor, b'{"id": 1, "columns": [], "steps": [], "points": 9, "outcome": "PASSED"}\n')
        except OSError:
            continue
    return 0
