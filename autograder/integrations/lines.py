"""What a person types, for a program that reads lines from a socket: no other tool is needed to try a stream by hand."""

from __future__ import annotations

import os
import select
import socket
from collections.abc import Callable, Iterable

from autograder.model import KitError


def serve(port: int, lines: Iterable[str], say: Callable[[str], None]) -> None:
    """Send the lines to whatever connects to the port on this machine, until there are no more.

    When the program is gone, the next one gets the lines that follow. Raises KitError when the port is taken.
    """
    try:
        server = socket.create_server(("127.0.0.1", port))
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise KitError(f"Port {port} cannot be used: {why}.", "Name another one, here and for your program.") from error
    with server:
        say(f"Waiting for a program to connect to localhost {port} …")
        reader = _next(server, say)
        for line in lines:
            while _gone(reader):
                reader.close()
                reader = _next(server, say)
            reader.sendall(line.encode())
        reader.close()


def _next(server: socket.socket, say: Callable[[str], None]) -> socket.socket:
    reader, _ = server.accept()
    say("It is connected. Type lines; Ctrl-D ends.")
    return reader


def _gone(reader: socket.socket) -> bool:
    """Whether the program has closed its end: it sends nothing, so that is all that can be read."""
    ready, _, _ = select.select([reader], [], [], 0)
    if not ready:
        return False
    try:
        return not reader.recv(1)
    except OSError:
        return True
