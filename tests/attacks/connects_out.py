# attack: connects to the internet and to the machine's own ports
# checks: double_right, counts_hidden
# outcome: double_right=PASSED
import socket


def double(number):
    for address in (("1.1.1.1", 53), ("192.168.0.1", 80), ("127.0.0.1", HOST_PORT), ("10.0.0.1", 22)):
        try:
            socket.create_connection(address, timeout=1)
        except OSError:
            continue
        raise RuntimeError(f"GAINED {address}")
    return 2 * number
