"""The filter of system calls: tried on a process, and for each machine by reading its program as the kernel does."""

from __future__ import annotations

import errno
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.sandbox import seccomp


def verdict(program: bytes, machine: int, number: int, second: int = 0, third: int = 0, fourth: int = 0) -> int:  # noqa: PLR0917  # a call's arguments
    """What a filter says of one call. Source: the kernel's description of classic BPF."""
    lines = list(struct.iter_unpack("=HBBI", program))
    at = value = 0
    while True:
        code, true, false, operand = lines[at]
        at += 1
        match code:
            case 0x20:
                value = {0: number, 4: machine, 24: second, 32: third, 40: fourth}[operand]
            case 0x54:
                value &= operand
            case 0x15:
                at += true if value == operand else false
            case 0x35:
                at += true if value >= operand else false
            case 0x06:
                return int(operand)
            case _:
                raise AssertionError(code)


@pytest.mark.parametrize("machine", sorted(seccomp._KNOWN))
@given(number=st.integers(0, 2**32 - 1) | st.integers(0, 400))
def test_all_but_the_refused_calls_pass(machine: str, number: int) -> None:
    """Whatever the number, and none of another machine's or another interface's."""
    calls = seccomp._KNOWN[machine]
    refused = number in calls.refused or number >= 0x40000000
    found = verdict(seccomp.program(machine), calls.machine, number)

    assert found == (0x00050000 | errno.EPERM if refused else 0x7FFF0000)
    assert verdict(seccomp.program(machine), calls.machine ^ 0x80000000, number) == 0x00050000 | errno.EPERM


@pytest.mark.parametrize("machine", sorted(seccomp._KNOWN))
@given(level=st.integers(0, 300), option=st.integers(0, 300))
def test_the_sizes_of_a_sockets_buffers_alone_stay_as_they_are(machine: str, level: int, option: int) -> None:
    """SO_SNDBUF, SO_RCVBUF and their FORCE twins, of SOL_SOCKET; whoever sets them is told that it was done."""
    calls = seccomp._KNOWN[machine]
    found = verdict(seccomp.program(machine), calls.machine, calls.setsockopt, level, option)

    assert found == (0x00050000 if level == 1 and option in {7, 8, 32, 33} else 0x7FFF0000)


@pytest.mark.parametrize("machine", sorted(seccomp._KNOWN))
@given(flags=st.integers(0, 2**20))
def test_memory_without_a_file_is_never_shared(machine: str, flags: int) -> None:
    """MAP_SHARED (also as a part of MAP_SHARED_VALIDATE) with MAP_ANONYMOUS."""
    calls = seccomp._KNOWN[machine]
    found = verdict(seccomp.program(machine), calls.machine, calls.mmap, fourth=flags)

    assert found == (0x00050000 | errno.EPERM if flags & 0x01 and flags & 0x20 else 0x7FFF0000)


def test_a_machine_that_is_not_known_has_no_filter() -> None:
    """It is confined without."""
    assert seccomp.program("other") == b""
