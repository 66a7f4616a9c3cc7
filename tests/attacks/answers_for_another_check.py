# attack: answers in the name of every other replay, and ends
# checks: double_right, counts_hidden
# outcome: double_right=ERROR
import os


def double(number):
    for descriptor in range(3, 200):
        for other in range(20):
            try:
                os.write(descriptor, b'{"id": %d, "columns": [], "steps": [[{"rows": []}]]}\n' % other)
            except OSError:
                break
    os._exit(0)
