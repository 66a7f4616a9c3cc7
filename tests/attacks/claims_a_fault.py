# attack: says that the grader failed, so that nothing is decided
# checks: double_right, counts_hidden
# outcome: double_right=GRADER_ERROR
import os


def double(number):
    for descriptor in range(3, 200):
        try:
            os.write(descriptor, b'{"id": 0, "fault": "the disk burns"}\n')
        except OSError:
            continue
    os._exit(0)
