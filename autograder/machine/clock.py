"""A clock for time limits that goes slower on a busy machine, so that load is no verdict.

A second counts as far as there were processors for all threads that wanted one: where eight want two processors, a quarter of it.
A program that sleeps on an idle machine gets no more time by this. Source: proc_loadavg(5).
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path

#: However busy the machine is, a second counts for this much, so that every wait ends.
_LEAST = 1 / 40


class Clock:
    """Seconds since it was made. Ask it often: what the machine was like in between it takes from the last two looks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at, self._share, self._passed = time.monotonic(), share(), 0.0

    def now(self) -> float:
        """Seconds that counted."""
        with self._lock:
            moment, found = time.monotonic(), share()
            self._passed += (moment - self._at) * (self._share + found) / 2
            self._at, self._share = moment, found
            return self._passed


def share() -> float:
    """How much of a processor each thread gets that wants one now, from 1 downwards; 1 where the machine does not tell."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        wanting = int(Path("/proc/loadavg").read_text().split()[3].split("/")[0])
        return max(_LEAST, min(1.0, _processors() / max(1, wanting)))
    return 1.0


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
