"""Memory and number of processes of everything that is confined together, watched from outside, where nothing can stop it.

Rlimits hold for one process; the whole would need a control group, which not every machine lets a user make.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections import defaultdict
from pathlib import Path

from autograder.model import Limits

#: Seconds between two looks: a process gets about a gigabyte a second.
_EVERY = 0.2
_PAGE = os.sysconf("SC_PAGE_SIZE")
_MB = 1_000_000


class Watch(threading.Thread):
    """Looks at a process and all below it until it is stopped; ends them all when they use too much, and says of what."""

    def __init__(self, pid: int, limits: Limits) -> None:
        super().__init__(daemon=True)
        self.pid, self.limits = pid, limits
        #: The trouble's kind, once a limit was passed.
        self.exceeded = ""
        self._stop_asked = threading.Event()
        self.start()

    def run(self) -> None:
        """Look again and again."""
        while not self._stop_asked.wait(_EVERY):
            memory, tasks = usage(self.pid)
            if tasks > self.limits.processes:
                self.exceeded = "too_many_processes"
            elif memory > self.limits.memory * _MB and usage(self.pid, exactly=True)[0] > self.limits.memory * _MB:
                self.exceeded = "out_of_memory"
            if self.exceeded:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.pid, signal.SIGKILL)  # the namespace, and all in it, ends with it
                return

    def stop(self) -> None:
        """Look no more."""
        self._stop_asked.set()
        self.join()


def usage(pid: int, exactly: bool = False) -> tuple[int, int]:
    """Bytes of memory, and number of threads, of a process and all below it.

    Memory that forked processes still share counts for each of them, unless it is asked for ``exactly``, which is slow.
    """
    below: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):  # it may be gone by now
            fields = (path / "stat").read_text().rsplit(")", 1)[1].split()
            below[int(fields[1])].append((int(path.name), int(fields[17])))
    memory = tasks = 0
    waiting = [pid]
    while waiting:
        for child, threads in below.get(waiting.pop(), ()):
            waiting.append(child)
            tasks += threads
            with contextlib.suppress(OSError, ValueError, IndexError):
                memory += _share(child) if exactly else _resident(child)
    return memory, tasks


def _resident(pid: int) -> int:
    _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
    return (int(resident) - int(shared)) * _PAGE


def _share(pid: int) -> int:
    """A process's proportional share of what it uses."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(text.split("Pss:", 1)[1].split()[0]) * 1024
