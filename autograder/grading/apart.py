"""Work in a process of its own with bounds on memory and time: what a submission answers could use up whoever judges it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Generic, TypeVar

from autograder.machine.paths import MB
from autograder.model import KitError
from autograder.sandbox.watch import own_memory

T = TypeVar("T")
#: Seconds between two looks, and seconds for what was started to be ended after an interruption.
_EVERY, _LAST_WORDS = 0.1, 20
#: Where processor time in the process's own code and in the kernel stands in /proc/PID/stat, behind the name. Source: proc_pid_stat(5).
_USER, _SYSTEM = 11, 12


@dataclass(frozen=True)
class Bounds:
    """What the work may use: memory and the size of all that it tells in megabytes, seconds of processor time and of wall time.

    Processes that it starts do not count: they have bounds of their own.
    """

    memory: int = 500
    told: int = 50
    processor: float = 120
    wall: float = 1200


class ExceededError(Exception):
    """The work was ended; the text is the kind of the submission's failure."""


class EndedError(Exception):
    """The process ended by itself before the work was done: a fault of ours."""


@dataclass(frozen=True)
class _Done(Generic[T]):
    result: T


def apart(work: Callable[[Callable[[object], None]], T], hear: Callable[[object], None], bounds: Bounds) -> T:
    """The result of ``work``, which may tell things as it goes on: ``hear`` gets them here.

    Raises ExceededError when a bound is passed, EndedError when the process is gone, and KitError when the work does.
    """
    context = multiprocessing.get_context("fork")  # the work is whatever was loaded here: content, functions of it
    reading, writing = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(work, reading, writing))
    process.start()
    writing.close()
    try:
        return _result(process.pid or 0, reading, hear, bounds)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):  # it was interrupted too, and takes away what it has started
            process.join(_LAST_WORDS)
        process.kill()
        raise
    finally:
        process.join()
        reading.close()


def _result(pid: int, reading: Connection, hear: Callable[[object], None], bounds: Bounds) -> T:  # type: ignore[type-var]  # the work's
    end, room = time.monotonic() + bounds.wall, bounds.told * MB
    while True:
        while reading.poll(_EVERY):
            data = _told(reading, room)
            room -= len(data)
            told = pickle.loads(data)  # noqa: S301  # the trusted side's own; what it read elsewhere it has read as data
            if isinstance(told, _Done):
                result: T = told.result
                return result
            if isinstance(told, (KitError, EndedError)):
                raise told
            hear(told)
        if own_memory(pid) > bounds.memory * MB or _processor_time(pid) > bounds.processor:
            raise ExceededError("too_much_to_judge")
        if time.monotonic() > end:
            raise ExceededError("submission_time")


def _told(reading: Connection, room: int) -> bytes:
    """One thing that the process tells."""
    try:
        return reading.recv_bytes(max(1, room))
    except EOFError as error:
        raise EndedError("The process that judges has ended.") from error
    except OSError as error:
        raise ExceededError("too_much_to_judge") from error


def _child(work: Callable[[Callable[[object], None]], T], reading: Connection, writing: Connection) -> None:
    reading.close()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        try:
            found: object = _Done(work(lambda told: writing.send_bytes(pickle.dumps(told))))
        except KitError as error:
            found = error
        except Exception as error:  # noqa: BLE001  # whatever it is, the instructor must read of it
            found = EndedError(f"{type(error).__name__}: {error}")
        writing.send_bytes(pickle.dumps(found))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)


def _processor_time(pid: int) -> float:
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rsplit(b")", 1)[1].split()
        return (int(fields[_USER]) + int(fields[_SYSTEM])) / os.sysconf("SC_CLK_TCK")
    return 0.0
