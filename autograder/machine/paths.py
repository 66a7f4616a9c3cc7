"""Where things are on this machine: the user's cache, scratch folders, and what a process of ours needs to find this package."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

import platformdirs

#: Bytes in a megabyte, as limits count them.
MB = 1_000_000
#: Bytes of memory that a scratch folder needs. Containers often have 64 MB of it.
_ROOM = 500_000_000


def cache_folder() -> Path:
    """The kit's cache: in ``AUTOGRADER_CACHE``, else where this system keeps the user's caches."""
    given = os.environ.get("AUTOGRADER_CACHE")
    return Path(given) / "autograder" if given else platformdirs.user_cache_path("autograder")


def scratch_root() -> Path:
    """Where checkpoints and brokers' data go: ``AUTOGRADER_SCRATCH``, else memory where there is enough of it."""
    if given := os.environ.get("AUTOGRADER_SCRATCH"):
        return Path(given)
    memory = Path("/dev/shm")  # noqa: S108  # a mount, not a file of ours; what we make in it has a random name
    usable = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free >= _ROOM
    return memory if usable else Path(tempfile.gettempdir())


def known_folders() -> list[str]:
    """This machine's folders that a program's words may name (the kit's, Python's, home, the cache), those below others first."""
    found = {Path(__file__).resolve().parent.parent.parent, Path.home(), cache_folder()}
    found |= {Path(name) for prefix in (sys.prefix, sys.base_prefix) for name in (prefix, Path(prefix).resolve())}
    return sorted((str(folder) for folder in found if len(folder.parts) > 1), key=len, reverse=True)  # a machine may have "/" for a home


def environment() -> dict[str, str]:
    """What a process of ours needs to find this package, wherever it is started."""
    package = str(Path(__file__).resolve().parent.parent.parent)
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH", "")]))
    env = {name: value for name, value in os.environ.items() if name != "AUTOGRADER_SECRET"}  # the course's: no program needs it
    return env | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "TZ": "UTC"}


def short_hash(facts: list[str]) -> str:
    """Twelve hexadecimal digits that tell facts apart."""
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:12]
