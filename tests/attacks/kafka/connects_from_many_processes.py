# attack: opens connections to the broker in many processes, each as many as it may
# checks: reads, sent
# outcome: reads=PASSED
import os
import socket

honest = read_all  # noqa: F821


def read_all(bootstrap, topic, group, handle):
    host, port = bootstrap.rsplit(":", 1)
    for _ in range(20):
        if os.fork() == 0:
            found = []
            while len(found) < 5000:
                try:
                    found.append(socket.create_connection((host, int(port)), timeout=1))
                except OSError:
                    break
            os._exit(0)
    for _ in range(20):
        os.wait()
    return honest(bootstrap, topic, group, handle)
