"""Spark's classes, parsed and linked once per machine: a JVM that finds the cache starts in a third of the time."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from pathlib import Path

from autograder.machine import jvm, localfiles, paths
from autograder.machine.java import Java
from autograder.machine.jvm import cache_key
from autograder.machine.made_once import remove_made
from autograder.machine.own_folder import keep_own
from autograder.machine.paths import cache_folder
from autograder.machine.progress import Progress
from autograder.machine.tried_once import Cache, NotMadeError, forget_failure, tried_once

#: Ahead-of-time caches came with Java 24, in one step (AOTCacheOutput) with 25. Source: JEP 483, JEP 514.
_AOT = 25
#: Seconds in which the warm-up program, which has a time limit of its own, must have ended.
_PATIENCE = 300


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
    """The cache's path, made when there is none; None where it cannot be made, or could not be before: Spark then starts slower.

    Raises KitError where others can write to the folder of caches.
    """
    keep_own(cache_folder())
    if flags(java):
        return path(java)
    jar = Cache(localfiles.jar(), "Spark's local file system", "a few seconds", other_state=path(java))
    if not tried_once(jar, lambda target: _warmup("--jar", target), progress):
        return None
    cache = Cache(path(java), "Spark's class cache", "about half a minute")  # only now: the jar is on the class path
    made = tried_once(cache, _warmup, progress)
    if made:
        remove_stale(made)
    return made


def recording(java: Java, target: Path) -> tuple[str, ...]:
    """How a JVM is told to write the cache when it exits."""
    return (f"-XX:AOTCacheOutput={target}",) if java.major >= _AOT else (f"-XX:ArchiveClassesAtExit={target}",)


def _warmup(*arguments: str | Path) -> None:
    """Run the kit's own warm-up program, whose last argument is the file that it makes."""
    command, env = [sys.executable, "-m", "autograder.untrusted.warmup", *map(str, arguments)], paths.environment()
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=_PATIENCE, check=False, env=env)
    if done.returncode or not Path(arguments[-1]).is_file():  # a JVM that was killed leaves half a file
        said = done.stderr.splitlines() if done.returncode >= 0 else []  # one that was killed has not said why
        raise NotMadeError(said[-1] if said else f"the program that makes it ended with code {done.returncode}")


def remove_stale(cache: Path) -> None:
    """Caches of the same place in another state can never be used again; each has a hundred megabytes."""
    place = cache.name.rsplit("-", 1)[0]
    others = re.compile(rf"\.?({re.escape(place)}-\w+{re.escape(cache.suffix)})(\.lock|\.failed)?")
    names = {found[1] for path in cache.parent.iterdir() if (found := others.fullmatch(path.name))}
    for name in names - {cache.name}:
        with contextlib.suppress(OSError):
            forget_failure(cache.with_name(name))
            remove_made(cache.with_name(name))
