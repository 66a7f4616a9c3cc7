# attack: writes a number for a failure where an answer is expected, to make the grader fail
# checks: double_right, counts_hidden
# outcome: double_right=ERROR
import os


def double(number):
    for descriptor in range(3, 200):
        try:
            os.write(descriptor, b'{"id": 0, "failure": 5}\n')
        except OSError:
            continue
    os._exit(0)
