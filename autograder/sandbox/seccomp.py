"""System calls that a confined process does not have: those by which one process stops, reads or writes another.

A process that is stopped by ``ptrace`` looks alive, and does not end when it should. The filter is a program of classic BPF, which
bubblewrap hands to the kernel. Sources: seccomp(2), linux/filter.h, linux/audit.h, and each machine's table of system calls.
"""

from __future__ import annotations

import errno
import os
import platform
import struct
from dataclasses import dataclass

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
#: Where the number and the machine stand in what the filter is given.
_NUMBER, _MACHINE = 0, 4
#: From this number on x86-64 has the calls of another interface, with other numbers for the same.
_OTHER_INTERFACE = 0x40000000


@dataclass(frozen=True)
class _Calls:
    """A machine's name for the kernel, and its numbers of ptrace, process_vm_readv and process_vm_writev."""

    machine: int
    refused: tuple[int, ...]


_KNOWN = {
    "x86_64": _Calls(0xC000003E, (101, 310, 311)),
    "aarch64": _Calls(0xC00000B7, (117, 270, 271)),
}


def program(machine: str = platform.machine()) -> bytes:
    """The filter for this machine; empty where its numbers are not known."""
    if machine not in _KNOWN:
        return b""
    calls = _KNOWN[machine]
    last = 5 + len(calls.refused)  # the index of the refusal
    lines = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 0, last - 2, calls.machine),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, last - 4, 0, _OTHER_INTERFACE),
    ]
    lines += [(_EQUAL, last - index - 1, 0, number) for index, number in enumerate(calls.refused, 4)]
    lines += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def opened() -> int | None:
    """A descriptor from which bubblewrap reads the filter, to be closed by who asked; None where there is no filter."""
    found = program()
    if not found:
        return None
    number = os.memfd_create("seccomp")
    os.write(number, found)
    os.lseek(number, 0, os.SEEK_SET)
    return number
