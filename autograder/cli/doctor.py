"""What this machine offers to the kit, and how to fix what is missing."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.broker import jars, settings
from autograder.machine import classcache, paths
from autograder.machine.java import NoJavaError, find_java
from autograder.machine.paths import cache_folder
from autograder.machine.tried_once import why_not
from autograder.sandbox import bubblewrap

_LEAST_GIGABYTES = 3
_WARM = "`autograder warm` makes it; `check` and `grade` do so themselves."


@dataclass(frozen=True)
class Finding:
    """One thing looked at. ``needed``: without it `grade` cannot work."""

    name: str
    good: bool
    says: str
    fix: str = ""
    needed: bool = False


def examine() -> list[Finding]:
    """Everything, in the order in which it matters."""
    return [
        *_java(),
        _sandbox(),
        _kafka(),
        _cores(),
        _memory(),
        _folder("cache", cache_folder()),
        _folder("scratch", paths.scratch_root()),
    ]


def _java() -> Iterator[Finding]:
    try:
        java = find_java()
    except NoJavaError as error:
        what, fix = str(error).split("\n", 1)
        yield Finding("Java", False, what, fix, needed=True)
        return
    yield Finding("Java", True, f"{java.version} at {java.executable}")
    cache = classcache.path(java)
    yield Finding("class cache", True, str(cache)) if cache.is_file() else _slow("class cache", "Spark's", cache)


def _slow(name: str, whose: str, cache: Path) -> Finding:
    """A class cache that is not there: not made yet, or tried in vain."""
    why = why_not(cache)
    if why:
        return Finding(name, False, f"{whose} class cache could not be made: {why} Starts are slow.", "`autograder warm` tries again.")
    return Finding(name, False, f"{whose} class cache is not made yet: starts are slow", _WARM)


def _sandbox() -> Finding:
    why = bubblewrap.obstacle()
    if not why:
        return Finding("sandbox", True, f"bubblewrap at {bubblewrap.find()}")
    fix = "Grade on Linux, in a container or a virtual machine; `check` works here, and `grade --sandbox none` for files that you trust."
    if sys.platform == "linux" and bubblewrap.find() and "namespace" in why:
        fix = (
            "The kernel or the container forbids namespaces: allow them (sysctl kernel.unprivileged_userns_clone=1, "
            "kernel.apparmor_restrict_unprivileged_userns=0, or a container with its own seccomp profile), or see docs/security.md."
        )
    return Finding("sandbox", False, why, fix, needed=True)


def _kafka() -> Finding:
    missing = [name for name in jars.locked() if not (jars.folder() / name).is_file()]
    if missing:
        return Finding("Kafka", False, f"{len(missing)} of its jars are not here yet", "`autograder warm` fetches them (needs a network).")
    there = Finding("Kafka", True, str(jars.folder()))
    try:
        java = find_java()
    except NoJavaError:
        return there  # that there is no Java is told once
    made = java.major < settings.AOT or settings.cache_path(java).is_file()
    return there if made else _slow("Kafka", "Kafka's", settings.cache_path(java))


def _cores() -> Finding:
    return Finding("cores", True, f"{os.cpu_count()} ({platform.machine()}, Python {platform.python_version()})")


def _memory() -> Finding:
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    good = gigabytes >= _LEAST_GIGABYTES
    fix = "" if good else f"Spark and brokers need about {_LEAST_GIGABYTES} GB; grade elsewhere, or one assignment at a time."
    return Finding("memory", good, f"{gigabytes:.1f} GB", fix)


def _folder(name: str, folder: Path) -> Finding:
    there = next(path for path in (folder, *folder.parents) if path.exists())
    if not os.access(there, os.W_OK):
        return Finding(
            name, False, f"{there} cannot be written", f"Set AUTOGRADER_{name.upper()} to a folder that can.", needed=name == "scratch"
        )
    return Finding(name, True, f"{folder} ({shutil.disk_usage(there).free / 1e9:.1f} GB free)")
