"""The way to confined brokers from outside their network, and the requests that do not pass it.

A submission may make topics, and change and delete its own. What would change a broker itself, for the grader's clients too, ends the
connection: settings of anything but topics, quotas, access, and the brokers' own affairs. Source of the numbers: Kafka's protocol guide.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import socket
import struct
from collections.abc import Sequence

from autograder.machine import relay

#: CreateAcls, DeleteAcls, AlterReplicaLogDirs, AlterClientQuotas, AlterUserScramCredentials, UpdateFeatures, UnregisterBroker,
#: AddRaftVoter, RemoveRaftVoter.
_REFUSED = {30, 31, 34, 49, 51, 57, 64, 80, 81}
_ALTER_CONFIGS, _INCREMENTAL_ALTER_CONFIGS = 33, 44
_TOPIC = 2
_HEAD = struct.Struct(">ihh")
#: Bytes of a request that is read whole.
_MOST = 1 << 20


def serve(listening: Sequence[tuple[int, socket.socket]]) -> None:
    """Join what comes to these sockets with the ports of this network, for ever."""
    asyncio.run(_serve(listening))


async def _serve(listening: Sequence[tuple[int, socket.socket]]) -> None:
    for port, outside in listening:
        inside = functools.partial(asyncio.open_connection, "127.0.0.1", port)
        await asyncio.start_server(functools.partial(relay.join, inside, onwards=requests), sock=outside)
    await asyncio.Event().wait()


async def requests(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy requests, one after the other, up to the first that is refused."""
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        while await _request(reader, writer):
            await writer.drain()
    writer.close()


async def _request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Copy one request, whose length, kind and version come first; False for one that is refused."""
    head = await reader.readexactly(_HEAD.size)
    length, key, version = _HEAD.unpack(head)
    rest = length - 4  # the length counts what follows it: two bytes of kind, two of version, and the rest
    if rest < 0 or key in _REFUSED:
        return False
    if key in {_ALTER_CONFIGS, _INCREMENTAL_ALTER_CONFIGS}:
        if rest > _MOST:
            return False
        whole = head + await reader.readexactly(rest)
        if not of_topics_alone(key, version, whole[4:]):
            return False
        writer.write(whole)
        return True
    writer.write(head)
    while rest:
        data = await reader.readexactly(min(rest, relay.CHUNK))
        writer.write(data)
        await writer.drain()
        rest -= len(data)
    return True


def of_topics_alone(key: int, version: int, request: bytes) -> bool:
    """Whether a request for other settings names topics and nothing else. What cannot be read is taken for one that does not."""
    from kafka.protocol.admin import AlterConfigsRequest, IncrementalAlterConfigsRequest  # slow to import, and rarely needed

    kind = AlterConfigsRequest if key == _ALTER_CONFIGS else IncrementalAlterConfigsRequest
    try:
        found = kind.decode(request, version=version, header=True)
        return all(resource.resource_type == _TOPIC for resource in found.resources)
    except Exception:  # noqa: BLE001  # bytes of a submission's
        return False
