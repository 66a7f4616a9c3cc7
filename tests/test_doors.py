"""What passes the door to confined brokers, and what ends at it."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka.protocol.admin import (
    AlterClientQuotasRequest,
    AlterConfigsRequest,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    DescribeConfigsRequest,
    IncrementalAlterConfigsRequest,
)

from autograder.broker import doors

_TOPIC, _KINDS = 2, (2, 4, 8, 16, 32)


def framed(request: Any, version: int) -> bytes:
    """A request as a client sends it."""
    request.with_header(correlation_id=7, client_id="blåbær")
    return bytes(request.encode(version=version, header=True, framed=True))


def altering(incremental: bool, kinds: list[int], version: int) -> bytes:
    """A request that alters settings of resources of these kinds."""
    kind = IncrementalAlterConfigsRequest if incremental else AlterConfigsRequest
    resource = kind.AlterConfigsResource
    setting = functools.partial(resource.AlterableConfig, name="log.retention.ms", value="1")
    values = [setting(config_operation=0) if incremental else setting()]
    return framed(
        kind(resources=[resource(number, f"n{index}", values) for index, number in enumerate(kinds)], validate_only=False), version
    )


def through(sent: bytes) -> bytes:
    """What comes out behind the door."""

    async def pass_on() -> bytes:
        came = bytearray()

        async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.closing(writer):
                while data := await reader.read(1 << 16):
                    came.extend(data)
            done.set()

        done = asyncio.Event()
        server = await asyncio.start_server(take, "127.0.0.1", 0)
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        reader = asyncio.StreamReader()
        reader.feed_data(sent)
        reader.feed_eof()
        await doors.requests(reader, writer)
        await done.wait()
        server.close()
        return bytes(came)

    return asyncio.run(pass_on())


@given(incremental=st.booleans(), kinds=st.lists(st.sampled_from(_KINDS), max_size=4), newer=st.booleans())
def test_settings_of_topics_pass_and_of_nothing_else(incremental: bool, kinds: list[int], newer: bool) -> None:
    """Whatever stands beside them, in each version of the request."""
    sent = altering(incremental, kinds, int(newer) + (not incremental))

    assert through(sent) == (sent if set(kinds) <= {_TOPIC} else b"")


@given(st.binary(max_size=60), st.sampled_from([33, 44]), st.integers(0, 3))
def test_what_cannot_be_read_does_not_pass(body: bytes, key: int, version: int) -> None:
    """A request for settings that is none ends the connection; the one before it has passed."""
    head = key.to_bytes(2, "big") + version.to_bytes(2, "big")
    found = through(PLAIN + (len(head) + len(body)).to_bytes(4, "big") + head + body)

    assert found == PLAIN or doors.of_topics_alone(key, version, head + body)


PLAIN = framed(DeleteTopicsRequest(topics=[], topic_names=["t"], timeout_ms=1), 1)


def allowed() -> Iterator[bytes]:
    """Requests of a student's program."""
    yield PLAIN
    yield framed(CreateTopicsRequest(topics=[], timeout_ms=1, validate_only=False), 4)
    yield framed(DescribeConfigsRequest(resources=[], include_synonyms=False, include_documentation=False), 2)
    yield b"\0\x02\0\0" + bytes(0x20000)  # a large one, as records make it


def test_other_requests_pass_byte_for_byte() -> None:
    """One after the other on a connection, large ones too; half of one goes on as far as it came."""
    sent = b"".join(allowed())

    assert through(sent) == sent
    assert through(sent + PLAIN[:9])[: len(sent)] == sent


@pytest.mark.parametrize("key", sorted(doors._REFUSED))
def test_what_changes_brokers_does_not_pass(key: int) -> None:
    """Nor what follows it."""
    assert through(PLAIN + b"\0\0\0\x08" + key.to_bytes(2, "big") + bytes(6) + PLAIN) == PLAIN


def test_quotas_are_among_them() -> None:
    """By the request that a client makes."""
    assert through(framed(AlterClientQuotasRequest(entries=[], validate_only=False), 0)) == b""


def test_a_request_of_no_length_ends_the_connection() -> None:
    """No length is below that of the kind and the version."""
    assert through(b"\xff\xff\xff\xff" + bytes(4) + PLAIN) == b""
