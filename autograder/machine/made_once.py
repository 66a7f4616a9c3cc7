"""Make a file or a folder once on this machine, whole or not at all, however many commands want it at the same time."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path


def made_once(target: Path, make: Callable[[Path], None], good: Callable[[Path], bool] = Path.exists) -> Path:
    """The target, a file or a folder. ``make`` is called when it is not there, or is there and not ``good``.

    ``make`` gets the path at which it makes it. The folder of that path is its own, for whatever it needs meanwhile. Of two
    commands at once the second waits for the first and uses what that one made. What fails or is interrupted leaves nothing half.
    Raises what ``make`` raises, and OSError where nothing can be written.
    """
    if good(target):
        return target
    from filelock import FileLock  # not needed on most days, and slow to import

    target.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(lock_of(target)):
        if not good(target):  # else another command has made it meanwhile
            _make(target, make)
    return target


def remove_made(target: Path) -> None:
    """Remove what was made, and what an interrupted command left of making it; nothing while another command makes it.

    Raises OSError when it cannot be removed.
    """
    from filelock import FileLock, Timeout

    with contextlib.suppress(Timeout), FileLock(lock_of(target), timeout=0):
        _remove(_workplace(target))
        _remove(target)
        lock_of(target).unlink(missing_ok=True)


def lock_of(target: Path) -> Path:
    """The file that whoever makes the target holds. It stays: to remove a lock that others may wait for is a race."""
    return target.with_name(f".{target.name}.lock")


def _make(target: Path, make: Callable[[Path], None]) -> None:
    work = _workplace(target)
    _remove(work)  # of one that was killed: whoever has the lock is alone here
    work.mkdir()
    try:
        _remove(target)  # one that is not good
        make(work / target.name)
        (work / target.name).rename(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _workplace(target: Path) -> Path:
    return target.with_name(f".{target.name}.making")


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
