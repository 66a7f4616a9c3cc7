"""Memory, number of processes and signs of life of everything that is confined together, watched from outside, where nothing can stop it.

Rlimits hold for one process; the whole would need a control group, which not every machine lets a user make.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.machine.paths import MB
from autograder.model import Limits

#: Seconds between two looks, of which one in so many counts everything: a process gets about a gigabyte of memory a second.
_EVERY, _WHOLE = 0.05, 4
#: How deep below the watched process (bubblewrap) the one that replays is: between them is the first one of the namespace.
_REPLAYS = 2
#: Where the state and the number of threads stand in /proc/PID/stat, behind the name. Source: proc_pid_stat(5).
_STATE, _THREADS = 0, 17
#: States of a process that was stopped: by a signal, and by one that traces it.
_STOPPED = {b"T", b"t"}
#: What a descriptor is called whose file is in memory and in no folder. Source: memfd_create(2).
_NAMELESS = "/memfd:"
_SOCKET = "socket:"
_BLOCK = 512
#: Bytes of the kernel's for a file in memory and its name. Measured: 300,000 empty files took 297 MB.
_INODE = 1_000


class Watch(threading.Thread):
    """Looks at a process and all below it until it is stopped; ends them all when they use too much, and says of what."""

    def __init__(self, pid: int, limits: Limits) -> None:
        super().__init__(daemon=True)
        self.pid, self.limits = pid, limits
        #: The failure's kind, once a limit was passed.
        self.exceeded = ""
        self._before = _tasks_of_the_machine()
        self._stored: dict[Path, int] = {}
        self._stop_asked = threading.Event()
        self.start()

    def run(self) -> None:
        """Look again and again."""
        for look in itertools.count():
            if self._stop_asked.wait(_EVERY):
                return
            if look % _WHOLE and not self._crowded():
                continue
            self.exceeded = self._judged()
            if self.exceeded:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.pid, signal.SIGKILL)  # the namespace, and all in it, ends with it
                return

    def weigh(self, folder: Path) -> None:
        """Count what is stored in a folder from now on, too, as if it were scratch: brokers write there what a submission sends."""
        self._stored.setdefault(folder, stored(folder))

    def _crowded(self) -> bool:
        """Whether so many threads have come to the machine that a fork bomb may be at work, which leaves little time to count."""
        return _tasks_of_the_machine() - self._before > self.limits.processes

    def _judged(self) -> str:
        found = usage(self.pid, self.limits.processes)
        if found.tasks > self.limits.processes:
            return "too_many_processes"
        most = self.limits.memory * MB
        # What processes share counts for each of them at first: the exact figure is slow, and asked for only when it matters.
        if self._memory(found.processes, _resident) > most and self._memory(found.processes, _proportional_share) > most:
            return "out_of_memory"
        if any(stored(folder) - before > self.limits.scratch * MB for folder, before in self._stored.copy().items()):
            return "disk_full"
        return "killed_replay" if found.stopped else ""

    def _memory(self, processes: Iterable[int], measure: Callable[[int], int]) -> int:
        """Bytes of memory of processes, as ``measure`` tells it of each, and of files that only they hold.

        0 where processes come faster than they can be measured: that is what the next look has to see.
        """
        before, found = _tasks_of_the_machine(), 0
        files: dict[tuple[int, int], int] = {}
        for pid in processes:
            if _tasks_of_the_machine() - before > self.limits.processes // 4:
                return 0
            with contextlib.suppress(OSError, ValueError, IndexError):
                found += measure(pid)
            _nameless_files(pid, files)
        return found + sum(files.values()) + _of_inodes(self.pid)

    def stop(self) -> None:
        """Look no more."""
        self._stop_asked.set()
        self.join()


@dataclass(frozen=True)
class Usage:
    """All processes below one: their number of threads, and whether the one that replays is stopped."""

    processes: Sequence[int]
    tasks: int
    stopped: bool


def usage(pid: int, most_tasks: int) -> Usage:
    """What is below one process; no more is counted when there are more than so many threads."""
    processes: list[int] = []
    tasks = 0
    stopped = False
    waiting = [(child, 0) for child in _children(pid)]
    while waiting and tasks <= most_tasks:
        child, depth = waiting.pop()
        processes.append(child)
        with contextlib.suppress(OSError, ValueError, IndexError):  # it may be gone by now
            fields = Path(f"/proc/{child}/stat").read_bytes().rsplit(b")", 1)[1].split()  # a name may be any bytes
            tasks += int(fields[_THREADS])
            stopped = stopped or (fields[_STATE] in _STOPPED and depth < _REPLAYS)
        waiting += [(found, depth + 1) for found in _children(child)]
    return Usage(processes, tasks, stopped)


def _nameless_files(pid: int, sizes: dict[tuple[int, int], int]) -> None:
    """Note the bytes of what a process holds open and no process's size has: files in memory that stand in no folder, and sockets."""
    with contextlib.suppress(OSError), os.scandir(f"{_living(pid)}/fd") as descriptors:
        for descriptor in descriptors:
            with contextlib.suppress(OSError):  # closed by now
                name = os.readlink(descriptor.path)  # noqa: PTH115  # this is done for every descriptor there is
                if name.startswith((_NAMELESS, _SOCKET)):
                    found = descriptor.stat()
                    sizes[found.st_dev, found.st_ino] = _socket_buffer() if name.startswith(_SOCKET) else found.st_blocks * _BLOCK


def _of_inodes(pid: int) -> int:
    """Bytes that the kernel keeps for the files in scratch beside what is in them."""
    for child in _children(pid):
        with contextlib.suppress(OSError):
            found = os.statvfs(f"/proc/{child}/root/scratch")
            return (found.f_files - found.f_ffree) * _INODE
    return 0


@functools.cache
def _socket_buffer() -> int:
    """Bytes that a socket's buffer may hold: how much it does hold is not told. Source: socket(7)."""
    with contextlib.suppress(OSError, ValueError):
        return int(Path("/proc/sys/net/core/wmem_default").read_text())
    return 212_992


def stored(folder: Path) -> int:
    """Bytes that the files below a folder take."""
    found = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):  # gone by now
                found += os.lstat(f"{place}/{name}").st_blocks * _BLOCK
    return found


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def _tasks_of_the_machine() -> int:
    """How many threads there are, whoever's they are: told at once, however many there are."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/loadavg").read_text().split()[3].split("/")[1])
    return 0


def own_memory(pid: int) -> int:
    """Bytes of memory of one process, without files; 0 where nobody tells."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return _resident(pid)
    return 0


def _resident(pid: int) -> int:
    """What is in memory and in no file on a disk: a process's own, what it shares with others (tmpfs, ``mmap``), and its page tables."""
    return _told(pid, b"\nRssAnon:", b"\nRssShmem:", b"\nVmPTE:")


def _living(pid: int) -> str:
    """Where in /proc a process tells of itself: once its first thread has ended, another one's place has what they share."""
    with contextlib.suppress(OSError, IndexError):
        if Path(f"/proc/{pid}/stat").read_bytes().rsplit(b")", 1)[1].split()[_STATE] == b"Z":
            others = (name for name in os.listdir(f"/proc/{pid}/task") if name != str(pid))  # noqa: PTH208  # names alone
            return f"/proc/{next(others, pid)}"
    return f"/proc/{pid}"


def _told(pid: int, *names: bytes) -> int:
    """The sum of lines of a process's status. Source: proc_pid_status(5)."""
    status = Path(f"{_living(pid)}/status").read_bytes()
    return sum(int(status.split(name, 1)[1].split(maxsplit=1)[0]) for name in names) * 1024


def _proportional_share(pid: int) -> int:
    text = Path(f"{_living(pid)}/smaps_rollup").read_bytes()
    return int(text.split(b"Pss:", 1)[1].split()[0]) * 1024 + _told(pid, b"\nVmPTE:")
