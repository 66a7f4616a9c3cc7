"""Spark's classes, parsed and linked once per machine: a JVM that finds the cache starts in a third of the time."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from pathlib import Path

from autograder.machine import jvm, localfiles, paths
from autograder.machine.java import Java
from autograder.machine.jvm import cache_key
from autograder.machine.paths import cache_folder
from autograder.machine.progress import Progress

#: Ahead-of-time caches came with Java 24, in one step (AOTCacheOutput) with 25. Source: JEP 483, JEP 514.
_AOT = 25


def path(java: Java) -> Path:
    """The cache for this Java and these jars."""
    place, state = cache_key(java)
    return cache_folder() / f"classes-{place}-{state}.{'aot' if java.major >= _AOT else 'jsa'}"


def flags(java: Java) -> tuple[str, ...]:
    """How a JVM is told to use the cache; nothing when there is none yet."""
    cache = path(java)
    if not cache.is_file():
        return ()
    return (f"-XX:AOTCache={cache}",) if java.major >= _AOT else (f"-XX:SharedArchiveFile={cache}",)


def start_jvm(java: Java, scratch: Path, settings: dict[str, str] | None = None, *, own: bool = False) -> jvm.Jvm:
    """Start Spark's JVM with the cache. One that this JVM refuses is thrown away, and Spark starts without it.

    ``settings`` and ``own`` are those of ``jvm.start_jvm``. Raises EngineLostError when it does not start.
    """
    found = flags(java)
    try:
        return jvm.start_jvm(java, scratch, found, settings, own=own)
    except jvm.EngineLostError:
        if not found:
            raise
        with contextlib.suppress(OSError):  # in a sandbox it cannot be written
            path(java).unlink(missing_ok=True)
        return jvm.start_jvm(java, scratch, (), settings, own=own)


def ensure(java: Java, progress: Progress) -> Path | None:
    """The cache's path, made when there is none; None where it cannot be made: Spark then starts slower."""
    if flags(java):
        return path(java)
    progress("Preparing Spark's class cache (once on this machine, about half a minute) …", 0, 0)
    return path(java) if make(java) else None


def recording(java: Java, target: Path) -> tuple[str, ...]:
    """How a JVM is told to write the cache when it exits."""
    return (f"-XX:AOTCacheOutput={target}",) if java.major >= _AOT else (f"-XX:ArchiveClassesAtExit={target}",)


def make(java: Java) -> bool:
    """Make the cache by running the kit's own warm-up program; says whether it is there now.

    Two at once do not disturb each other: each writes a file of its own and the last rename stands.
    """
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
        if not localfiles.jar().is_file():
            _warmup("--jar")
        target = path(java)  # only now: the jar is on the class path
        with tempfile.TemporaryDirectory(dir=target.parent, prefix="making-") as folder:
            made = Path(folder) / target.name
            _warmup(str(made))
            if made.is_file():
                made.replace(target)
                remove_stale(target)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return path(java).is_file()


def _warmup(argument: str) -> None:
    command = [sys.executable, "-m", "autograder.untrusted.warmup", argument]
    subprocess.run(command, capture_output=True, timeout=300, check=False, env=paths.environment())


def remove_stale(cache: Path) -> None:
    """Caches of the same place in another state can never be used again; each has a hundred megabytes."""
    place = cache.name.rsplit("-", 1)[0]
    for other in cache.parent.glob(f"{place}-*{cache.suffix}"):  # not one that is being written
        if other != cache:
            other.unlink(missing_ok=True)
