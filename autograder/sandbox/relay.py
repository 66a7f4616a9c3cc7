"""Bytes between a broker's port and a socket file: a sandbox has a loopback of its own, in which no broker listens.

Outside, ``python -m autograder.sandbox.relay FOLDER PORT…`` listens on ``FOLDER/PORT`` and goes on to the port; inside, ``inside``
listens on the port and goes on to the file. Nobody but these brokers can be reached so.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

_Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]
_CHUNK = 1 << 16


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
    writer.close()


async def _join(connect: Callable[[], Awaitable[_Ends]], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        far_reader, far_writer = await connect()
    except OSError:  # a broker that does not run: the client sees its connection closed
        writer.close()
        return
    await asyncio.gather(_copy(reader, far_writer), _copy(far_reader, writer))


async def _outside(folder: Path, ports: Sequence[int]) -> None:
    for port in ports:
        near = functools.partial(_join, functools.partial(asyncio.open_connection, "127.0.0.1", port))
        await asyncio.start_unix_server(near, folder / str(port))
    print("ready", flush=True)  # noqa: T201  # to whoever started it
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.buffer.read)  # until its owner is gone


async def _inside(folder: Path, listening: Sequence[tuple[int, socket.socket]]) -> None:
    for port, near in listening:
        join = functools.partial(_join, functools.partial(asyncio.open_unix_connection, str(folder / str(port))))
        await asyncio.start_server(join, sock=near)
    await asyncio.Event().wait()


def listen(port: int) -> socket.socket:
    """A port of the sandbox's loopback; connections wait in it from now on."""
    return socket.create_server(("127.0.0.1", port))


def inside(folder: Path, listening: Sequence[tuple[int, socket.socket]]) -> None:
    """Serve ports of the sandbox for ever."""
    asyncio.run(_inside(folder, listening))


if __name__ == "__main__":
    asyncio.run(_outside(Path(sys.argv[1]), [int(port) for port in sys.argv[2:]]))
