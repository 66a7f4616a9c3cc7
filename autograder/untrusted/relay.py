"""Bytes between a broker's port and a socket file: a sandbox has a loopback of its own, in which no broker listens.

Outside, ``python -m autograder.untrusted.relay FOLDER`` makes a folder, listens on ``FOLDER/PORT`` for every port that it is told on
its standard input, and goes on to the port; when that input ends, it takes the folder away. Inside, ``inside`` listens on the port
and goes on to the file. Nobody but these brokers can be reached so.
"""

from __future__ import annotations

import asyncio
import functools
import shutil
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from autograder.machine.relay import join
from autograder.wire import RELAY_READY


async def _outside(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    told = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(told), sys.stdin)
    try:
        print(RELAY_READY, flush=True)  # noqa: T201  # to whoever started it
        while line := await told.readline():
            for port in line.decode().split():
                near = functools.partial(join, functools.partial(asyncio.open_connection, "127.0.0.1", int(port)))
                await asyncio.start_unix_server(near, folder / port)
            print(RELAY_READY, flush=True)  # noqa: T201  # as above
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _inside(folder: Path, listening: Sequence[tuple[int, socket.socket]]) -> None:
    for port, near in listening:
        far = functools.partial(asyncio.open_unix_connection, str(folder / str(port)))
        await asyncio.start_server(functools.partial(join, far), sock=near)
    await asyncio.Event().wait()


def inside(folder: Path, listening: Sequence[tuple[int, socket.socket]]) -> None:
    """Serve ports of the sandbox for ever."""
    asyncio.run(_inside(folder, listening))


if __name__ == "__main__":
    asyncio.run(_outside(Path(sys.argv[1])))
