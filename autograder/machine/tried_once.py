"""Caches that make starts faster, and that a machine may be too slow or too full to make: tried once, never waited for twice."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from autograder.machine.made_once import made_once
from autograder.machine.paths import cache_folder
from autograder.machine.progress import Progress

_SUFFIX = ".failed"


class NotMadeError(Exception):
    """A cache could not be made; the text is a sentence that says why."""


_FAILURES = (NotMadeError, OSError, subprocess.SubprocessError)


@dataclass(frozen=True)
class Cache:
    """Where a cache is, what it is called, and how long making it takes, in words.

    ``other_state`` is for one whose path stays the same when Java or the jars change: a path that does not.
    """

    path: Path
    title: str
    takes: str
    other_state: Path | None = None

    @property
    def state(self) -> Path:
        """What a failure is remembered for."""
        return self.other_state or self.path


def tried_once(cache: Cache, make: Callable[[Path], None], progress: Progress) -> Path | None:
    """The cache's path, made by ``make`` when it is not there; None where it cannot be made, or could not be made before.

    ``make`` fails by NotMadeError, OSError or SubprocessError. That is told and remembered: no command calls it again for this
    state before ``forget_failures``.
    """
    if cache.path.exists():
        return cache.path
    if why_not(cache.state):
        return None
    progress(f"Preparing {cache.title} (once on this machine, {cache.takes}) …", 0, 0)
    try:
        return made_once(cache.path, lambda path: _make(cache, make, path))
    except _FAILURES as error:
        _remember(cache, error)  # again: on a full disk it can be written only now, when what was half made is gone
        progress(f"{cache.title} could not be made: {_reason(error)} Everything works without, slower. Try again: autograder warm", 0, 0)
        return None


def _make(cache: Cache, make: Callable[[Path], None], path: Path) -> None:
    if why := why_not(cache.state):  # another command's, for which this one has waited
        raise NotMadeError(why)
    try:
        make(path)
    except _FAILURES as error:
        _remember(cache, error)  # before one that waits goes on
        raise


def _remember(cache: Cache, error: Exception) -> None:
    failure = _failure(cache.state)
    part = failure.with_name(f"{failure.name}.{os.getpid()}")
    with contextlib.suppress(OSError):  # where nothing can be written, nobody waits either
        try:
            part.write_text(_reason(error), encoding="utf-8")
            part.replace(failure)  # whole at once: another command reads it without the lock
        except OSError:
            part.unlink(missing_ok=True)
            failure.touch()  # on a full disk there is still room for a name


def why_not(state: Path) -> str:
    """Why a cache could not be made, as a sentence; empty when nobody tried in vain."""
    try:
        return _failure(state).read_text(encoding="utf-8") or "the reason could not be written down."
    except OSError:
        return ""


def forget_failures() -> None:
    """Have the next command try again what could not be made."""
    for failure in cache_folder().glob(f"*{_SUFFIX}"):
        with contextlib.suppress(OSError):  # where nothing can be removed, nothing was remembered
            failure.unlink()


def forget_failure(state: Path) -> None:
    """Forget one. Raises OSError when it cannot be removed."""
    _failure(state).unlink(missing_ok=True)


def _failure(state: Path) -> Path:
    return state.with_name(state.name + _SUFFIX)


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it did not finish within {error.timeout:g} seconds."
    text = str((isinstance(error, OSError) and error.strerror) or error or type(error).__name__)
    return " ".join(text.split())[:200].rstrip(".") + "."
