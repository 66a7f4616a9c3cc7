"""Read and write files of text: whole or not at all, and refused in words."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

from autograder.model import KitError


def read_text(path: Path) -> str:
    """A content file as text. Raises KitError when it cannot be read as UTF-8."""
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise KitError(f"{path}: cannot be read: {error}", "Save the file as UTF-8 and check its permissions.") from error


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all; what is no letter is spelled out. Raises KitError when it cannot be written."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write a file whole or not at all, with these permissions. Raises KitError when it cannot be written."""
    part = path.with_suffix(path.suffix + ".part")
    try:
        part.write_bytes(data)
        if mode is not None:
            part.chmod(mode)
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise _unwritable(path, error) from error


def make_folder(path: Path) -> None:
    """There is a folder with those above it, and files can be written there. Raises KitError when there cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        if not os.access(path, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> KitError:
    return KitError(f"{path}: cannot be written: {error.strerror}", "Name a folder that you may write to.")
