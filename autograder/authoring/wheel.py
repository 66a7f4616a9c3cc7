"""The engine as a wheel, built from the checkout without a network: no content in it, and the same bytes each time."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from autograder.model import KitError

#: When everything in a release was made: 2024-01-01 in UTC, in seconds since the epoch.
MADE = 1_704_067_200
_BUILD = "import sys, setuptools.build_meta as backend; backend.build_wheel(sys.argv[1])"


def checkout() -> Path:
    """The folder of the kit that runs. Raises KitError when it runs from an installed package."""
    root = Path(__file__).resolve().parent.parent.parent
    if not all((root / name).is_file() for name in ("pyproject.toml", "requirements/run.lock")):
        raise KitError(
            "A release is made from a checkout of the kit; this is an installed package.",
            "Run it in the kit's own folder, where pyproject.toml and requirements/ are.",
        )
    return root


@functools.cache
def wheel() -> tuple[str, bytes]:
    """The wheel's name and bytes. Only the package is where it is built, so nothing else can come in.

    Raises KitError when it cannot be built.
    """
    root = checkout()
    with tempfile.TemporaryDirectory(prefix="autograder-wheel-") as folder:
        source, out = Path(folder) / "source", Path(folder) / "out"
        shutil.copytree(root / "autograder", source / "autograder", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(root / "pyproject.toml", source)
        for path in source.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        out.mkdir()
        _build(source, out)
        (found,) = out.glob("*.whl")
        return found.name, found.read_bytes()


def _build(source: Path, out: Path) -> None:
    """Call the PEP 517 backend itself: an installer in between would have settings of its own."""
    env = dict(os.environ, SOURCE_DATE_EPOCH=str(MADE), PYTHONHASHSEED="0")
    done = subprocess.run([sys.executable, "-c", _BUILD, str(out)], cwd=source, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        why = (done.stderr.strip() or "no reason given").splitlines()[-1]
        raise KitError(f"The engine's wheel could not be built: {why}", "Set the kit up again: make clean demo.")
