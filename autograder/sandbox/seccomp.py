"""System calls that a confined process does not have: by which one stops or reads another, or takes memory that nobody counts.

A process that is stopped by ``ptrace`` looks alive, and does not end when it should. Setting the size of a socket's buffers does
nothing: what they hold is memory that no process's size tells, so each counts with its default size (``watch``).

The filter is a program of classic BPF, which bubblewrap hands to the kernel. Sources: socket(7) for the options, seccomp(2),
linux/filter.h, linux/audit.h, and each machine's table of system calls.
"""

from __future__ import annotations

import errno
import os
import platform
import struct
from collections.abc import Mapping
from dataclasses import dataclass

_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
_PRETEND = 0x00050000  # refuse with the error 0: it is not done, and looks as if it were
#: Where the number, the machine, and the low halves of the second to the fourth argument stand in what the filter is given.
_NUMBER, _MACHINE, _SECOND, _THIRD, _FOURTH = 0, 4, 24, 32, 40
#: SOL_SOCKET; SO_SNDBUF, SO_RCVBUF, SO_SNDBUFFORCE, SO_RCVBUFFORCE.
_SOCKETS, _SIZES = 1, (7, 8, 32, 33)
#: MAP_SHARED and MAP_ANONYMOUS: memory that stays when nobody maps it any more, until the last file of it is closed.
_SHARED_MEMORY = 0x21
#: From this number on x86-64 has the calls of another interface, with other numbers for the same.
_OTHER_INTERFACE = 0x40000000


@dataclass(frozen=True)
class _Calls:
    """A machine's name for the kernel, the numbers of the calls in ``_REFUSED``, and those of setsockopt and mmap."""

    machine: int
    refused: tuple[int, ...]
    setsockopt: int
    mmap: int


#: By which one process stops, reads or writes another; by which something stays in the kernel after a grading; and by which memory
#: is taken that no process's size tells. io_uring does what a filter of calls does not see.
_REFUSED = (
    "ptrace", "process_vm_readv", "process_vm_writev", "add_key", "request_key", "keyctl",
    "shmget", "semget", "msgget", "memfd_create", "memfd_secret", "io_uring_setup", "userfaultfd", "bpf", "perf_event_open",
)  # fmt: skip
_KNOWN = {
    "x86_64": _Calls(0xC000003E, (101, 310, 311, 248, 249, 250, 29, 64, 68, 319, 447, 425, 323, 321, 298), 54, 9),
    "aarch64": _Calls(0xC00000B7, (117, 270, 271, 217, 218, 219, 194, 190, 186, 279, 447, 425, 282, 280, 241), 208, 222),
}


def program(machine: str = platform.machine()) -> bytes:
    """The filter for this machine; empty where its numbers are not known."""
    if machine not in _KNOWN:
        return b""
    calls = _KNOWN[machine]
    lines: list[tuple[int, int, str, str]] = [
        (_LOAD, _MACHINE, "", ""),
        (_EQUAL, calls.machine, "", "refuse"),
        (_LOAD, _NUMBER, "", ""),
        (_AT_LEAST, _OTHER_INTERFACE, "refuse", ""),
        *[(_EQUAL, number, "refuse", "") for number in calls.refused],
        (_EQUAL, calls.mmap, "mmap", ""),
        (_EQUAL, calls.setsockopt, "", "allow"),
        (_LOAD, _SECOND, "", ""),
        (_EQUAL, _SOCKETS, "", "allow"),
        (_LOAD, _THIRD, "", ""),
        *[(_EQUAL, option, "pretend", "") for option in _SIZES],
        (_RETURN, _ALLOW, "", ""),
    ]
    places = {"mmap": len(lines), "allow": len(lines) + 3, "refuse": len(lines) + 4, "pretend": len(lines) + 5}
    lines += [
        (_LOAD, _FOURTH, "", ""),
        (_AND, _SHARED_MEMORY, "", ""),
        (_EQUAL, _SHARED_MEMORY, "refuse", "allow"),
        (_RETURN, _ALLOW, "", ""),
        (_RETURN, _REFUSE, "", ""),
        (_RETURN, _PRETEND, "", ""),
    ]
    return b"".join(
        struct.pack("=HBBI", code, *(_jump(index, places, name) for name in (true, false)), operand)
        for index, (code, operand, true, false) in enumerate(lines)
    )


def _jump(index: int, places: Mapping[str, int], name: str) -> int:
    """How many lines are left out on the way to a place; none without a name."""
    return places[name] - index - 1 if name else 0


def opened() -> int | None:
    """A descriptor from which bubblewrap reads the filter, to be closed by who asked; None where there is no filter."""
    found = program()
    if not found:
        return None
    number = os.memfd_create("seccomp")
    os.write(number, found)
    os.lseek(number, 0, os.SEEK_SET)
    return number
