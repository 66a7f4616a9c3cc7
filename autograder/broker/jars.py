"""Kafka's jars: fetched once into the user's cache by the Ivy that PySpark carries, each checked against the lock file."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from autograder.broker.guard import die_with_parent
from autograder.machine import jvm
from autograder.machine.java import Java
from autograder.machine.made_once import made_once
from autograder.machine.own_folder import keep_own
from autograder.machine.paths import cache_folder
from autograder.machine.progress import Progress
from autograder.model import KitError

HERE = Path(__file__).parent
_TIMEOUT = 900


@dataclass(frozen=True)
class Jars:
    """Jars that belong together: ``NAME.xml`` tells Ivy what to resolve, ``NAME.lock`` has a SHA-256 and a file name a line."""

    name: str
    title: str

    @property
    def lock(self) -> Path:
        """The lock file."""
        return HERE / f"{self.name}.lock"


BROKER = Jars("broker", "Apache Kafka")
CONNECTOR = Jars("connector", "Spark's Kafka source")


def locked(which: Jars = BROKER) -> dict[str, str]:
    """The SHA-256 of every jar by its file name."""
    lines = which.lock.read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def folder(which: Jars = BROKER) -> Path:
    """Where the jars of a lock file are, once they are fetched."""
    digest = hashlib.sha256(which.lock.read_bytes()).hexdigest()
    return cache_folder() / f"kafka-{which.name}-{digest[:12]}"


def class_path(which: Jars = BROKER) -> str:
    """The jars, spelled out in order: a class cache holds for this very list only."""
    return os.pathsep.join(str(folder(which) / name) for name in sorted(locked(which)))


def wrong(where: Path, which: Jars = BROKER) -> list[str]:
    """The jars that are missing in a folder or are not what the lock file says."""
    return [name for name, digest in locked(which).items() if not (where / name).is_file() or _digest(where / name) != digest]


def ensure(java: Java, progress: Progress, which: Jars = BROKER) -> Path:
    """The folder of the jars, fetched when they are not there or not right.

    Raises KitError when they cannot be fetched or a checksum is wrong, and where others can write to the folder of caches. The
    folder of the jars appears whole or not at all.
    """
    keep_own(cache_folder())
    target = folder(which)

    def whole(path: Path) -> bool:
        return path.is_dir() and not wrong(path, which)

    def make(path: Path) -> None:
        _fetch(java, path.parent, progress, which)
        (path.parent / "jars").rename(path)
        _keep_locked(path, which)

    try:
        if whole(target):
            return target
        if target.is_dir():
            progress("Kafka's files in the cache are damaged; fetching them again …", 0, 0)
        return made_once(target, make, whole)
    except OSError as error:
        raise KitError(
            f"Kafka's files cannot be written to {target.parent}: {error.strerror or error}.",
            "Make room there, or name another folder in AUTOGRADER_CACHE.",
        ) from error


def _keep_locked(fetched: Path, which: Jars) -> None:
    """Remove what the lock file does not name. Raises KitError when something that it names is missing or differs."""
    bad = wrong(fetched, which)
    if bad:
        raise KitError(
            f"What was fetched is not what the lock file names: {', '.join(bad[:3])}.",
            "Nothing was installed. Try again; if it stays so, somebody changed the files on the way: ask who runs your network.",
        )
    for path in fetched.iterdir():
        if path.name not in locked(which):
            path.unlink()


def _fetch(java: Java, work: Path, progress: Progress, which: Jars) -> None:
    total = len(locked(which))
    progress(f"Fetching {which.title} (once on this machine, {total} files) …", 0, 0)
    trust = _trust(work)
    ivy = next(Path(jvm.class_path().split(os.pathsep)[0]).parent.glob("ivy-*.jar"))
    command = [str(java.executable), *trust, "-jar", str(ivy), "-ivy", str(HERE / f"{which.name}.xml"), "-types", "jar", "bundle"]
    command += ["-confs", which.name, "-cache", str(work / "cache"), "-retrieve", str(work / "jars" / "[artifact]-[revision].[ext]")]
    began = time.monotonic()
    code, said = _run(command, lambda found: progress(f"Fetching {which.title}", found, total))
    if code == 0 and (work / "jars").is_dir():
        return
    late = f"it took longer than {_TIMEOUT} seconds." if time.monotonic() - began >= _TIMEOUT else ""
    raise KitError(f"Kafka could not be fetched: {late or _reason(said)}", "Everything but Kafka works without. Try again with a network.")


def _run(command: list[str], found: Callable[[int], None]) -> tuple[int, str]:
    """Ivy's exit code and what it printed. It ends with this process, and when its time is over."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        preexec_fn=die_with_parent,  # noqa: PLW1509  # it takes no lock
    )
    assert process.stdout is not None
    timer = threading.Timer(_TIMEOUT, process.kill)  # also when it prints nothing, which reading waits for
    timer.start()
    said: list[str] = []
    try:
        for line in process.stdout:
            said.append(line)
            if "[SUCCESSFUL ]" in line:
                found(sum("[SUCCESSFUL ]" in other for other in said))
        return process.wait(), "".join(said)
    finally:
        timer.cancel()
        process.kill()
        process.wait()
        process.stdout.close()


def _trust(work: Path) -> list[str]:
    """What tells Java to trust whom this machine's Python trusts; nothing where Python names nobody."""
    from autograder.broker.certificates import PASSWORD, write_trust_store  # slow to import, and needed once on a machine

    store = work / "trust.p12"
    return [f"-Djavax.net.ssl.trustStore={store}", f"-Djavax.net.ssl.trustStorePassword={PASSWORD}"] if write_trust_store(store) else []


def _reason(said: str) -> str:
    for pattern, text in _REASONS.items():
        if re.search(pattern, said):
            return text
    return "the fetch ended with an error."


_REASONS = {
    r"PKIX path building failed": "the server's certificate is not trusted by this machine's Python.",
    r"UnknownHost|Host .* not found|NoRouteToHost|ConnectException|Connection refused|SocketTimeout|is unreachable": "there is no network.",
    r"No space left": "there is no room on the disk.",
    r"UNRESOLVED": "some files were not found on the server.",
}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
