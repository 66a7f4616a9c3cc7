"""Bytes from one connection to another, both ways: how something in a network of its own is reached from outside."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Copy = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
CHUNK = 1 << 16


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """All bytes, until there are no more or nobody takes them."""
    with contextlib.suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    writer.close()


async def join(
    connect: Callable[[], Awaitable[Ends]], reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, onwards: Copy = copy
) -> None:
    """Connect further, and copy both ways; ``onwards`` may look at what it copies. Where nobody listens, the connection is closed."""
    try:
        far_reader, far_writer = await connect()
    except OSError:  # a broker that does not run: the client sees its connection closed
        writer.close()
        return
    await asyncio.gather(onwards(reader, far_writer), copy(far_reader, writer))
