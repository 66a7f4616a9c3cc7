# attack: connects to a broker that is somebody else's, and to every other port and socket of the host's
# checks: reads, sent
# outcome: reads=PASSED
import os
import socket

honest = read_all  # noqa: F821


def read_all(bootstrap, topic, group, handle):
    own = int(bootstrap.rsplit(":", 1)[1])
    if os.listdir("/brokers") != [str(own)]:
        raise RuntimeError(f"GAINED {os.listdir('/brokers')}")
    for port in [OTHER_BROKER, HOST_PORT, *range(1, 65536)]:  # noqa: F821
        with socket.socket() as probe:
            if port == own or probe.connect_ex(("127.0.0.1", port)):
                continue
            if probe.getsockname() != probe.getpeername():  # a socket may be given the very port that it tries
                raise RuntimeError(f"GAINED port {port}")
    with socket.socket(socket.AF_UNIX) as probe:
        if probe.connect_ex("/brokers/OTHER_BROKER") == 0:
            raise RuntimeError("GAINED a socket")
    return honest(bootstrap, topic, group, handle)
