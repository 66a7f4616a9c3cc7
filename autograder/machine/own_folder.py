"""What lies in the cache is run: jars, and classes that Java does not verify again. So it must be nobody else's to write."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from autograder.machine.errors import KitError

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def keep_own(folder: Path) -> None:
    """Make a folder where there is none, and close it to others where it is this user's.

    Raises KitError where somebody else but root owns it or something in it, or can write to it or exchange it.
    """
    if not hasattr(os, "geteuid"):  # Windows has no such owners
        return
    with contextlib.suppress(OSError):  # where nothing can be written, nothing of it is used
        folder.mkdir(parents=True, exist_ok=True)
        if folder.stat().st_uid == os.geteuid() and folder.stat().st_mode & _OTHERS_WRITE:
            folder.chmod(0o700)
    for path in (folder, *_content(folder)):
        with contextlib.suppress(OSError):  # another command has removed it meanwhile
            _refuse_foreign(path)
    for path in folder.resolve().parents:
        with contextlib.suppress(OSError):
            _refuse_open(path)


def _content(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:  # there is none, and nothing to use
        return []


def _refuse_foreign(path: Path) -> None:
    found = path.lstat()
    link = stat.S_ISLNK(found.st_mode)
    if found.st_uid in {0, os.geteuid()} and (link or not found.st_mode & stat.S_IWOTH):
        return
    raise _refusal(path)


def _refuse_open(parent: Path) -> None:
    """Where others can write without a sticky bit, they can put another folder in its place."""
    mode = parent.stat().st_mode
    if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        raise _refusal(parent)


def _refusal(path: Path) -> KitError:
    return KitError(
        f"{path} can be written by somebody else, and what is in the cache is run.",
        "Remove it, or name a folder of your own in AUTOGRADER_CACHE.",
    )
