"""Memory, number of processes and signs of life of everything that is confined together, watched from outside, where nothing can stop it.

Rlimits hold for one process; the whole would need a control group, which not every machine lets a user make.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.model import Limits
from autograder.replay.worker import MB

#: Seconds between two looks, of which one in so many counts everything: a process gets about a gigabyte of memory a second.
_EVERY, _WHOLE = 0.05, 4
#: How deep below the watched process (bubblewrap) the one that replays is: between them is the first one of the namespace.
_REPLAYS = 2
#: Where the state and the number of threads stand in /proc/PID/stat, behind the name. Source: proc_pid_stat(5).
_STATE, _THREADS = 0, 17
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Watch(threading.Thread):
    """Looks at a process and all below it until it is stopped; ends them all when they use too much, and says of what."""

    def __init__(self, pid: int, limits: Limits) -> None:
        super().__init__(daemon=True)
        self.pid, self.limits = pid, limits
        #: The trouble's kind, once a limit was passed.
        self.exceeded = ""
        self._before = _tasks_of_the_machine()
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

    def _crowded(self) -> bool:
        """Whether so many threads have come to the machine that a fork bomb may be at work, which leaves little time to count."""
        return _tasks_of_the_machine() - self._before > self.limits.processes

    def _judged(self) -> str:
        found = usage(self.pid, self.limits.processes)
        if found.tasks > self.limits.processes:
            return "too_many_processes"
        if found.memory > self.limits.memory * MB and self._share(found.processes) > self.limits.memory * MB:
            return "out_of_memory"
        return "killed_replay" if found.stopped else ""

    def _share(self, processes: Iterable[int]) -> int:
        """Bytes of memory of these processes, what they share counted once. It is slow: given up when there is no time for it."""
        memory = 0
        for pid in processes:
            if self._crowded():
                return 0
            with contextlib.suppress(OSError, ValueError, IndexError):
                memory += _proportional_share(pid)
        return memory

    def stop(self) -> None:
        """Look no more."""
        self._stop_asked.set()
        self.join()


@dataclass(frozen=True)
class Usage:
    """All processes below one: their number of threads, bytes of memory, and whether the one that replays is stopped.

    Memory that forked processes still share counts for each of them.
    """

    processes: Sequence[int]
    tasks: int
    memory: int
    stopped: bool


def usage(pid: int, most_tasks: int) -> Usage:
    """What all processes below one use; no more are counted when there are more than so many threads."""
    processes: list[int] = []
    memory = tasks = 0
    stopped = False
    waiting = [(child, 0) for child in _children(pid)]
    while waiting and tasks <= most_tasks:
        child, depth = waiting.pop()
        processes.append(child)
        with contextlib.suppress(OSError, ValueError, IndexError):  # it may be gone by now
            fields = Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()
            tasks += int(fields[_THREADS])
            stopped = stopped or (fields[_STATE] == "T" and depth < _REPLAYS)
            memory += _resident(child)
        waiting += [(found, depth + 1) for found in _children(child)]
    return Usage(processes, tasks, memory, stopped)


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


def _resident(pid: int) -> int:
    _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
    return (int(resident) - int(shared)) * _PAGE


def _proportional_share(pid: int) -> int:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(text.split("Pss:", 1)[1].split()[0]) * 1024
