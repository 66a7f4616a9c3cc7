"""The door to the untrusted side, where Spark's and Kafka's replays agree: its process, and what may come through."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field


class Strict(BaseModel):
    """Nothing that is not named, and no conversion."""

    model_config = ConfigDict(extra="forbid", strict=True)


class TroubleLine(Strict):
    """A ``model.Trouble``, its text bounded."""

    kind: str
    text: str = Field(max_length=4000)
    line: int | None = None
    error: str = Field(default="", max_length=200)
    step: int | None = None


def environment() -> dict[str, str]:
    """What a process of ours needs to find this package, wherever it is started."""
    package = str(Path(__file__).resolve().parent.parent)
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH", "")]))
    return dict(os.environ, PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1", TZ="UTC")


def start(module: str, *arguments: str) -> tuple[subprocess.Popen[bytes], int]:
    """Start a module of the untrusted side. Its first argument is where it answers; the end to read from is returned."""
    reading, writing = os.pipe()
    command = [sys.executable, "-m", module, str(writing), *arguments]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[writing], env=environment(), start_new_session=True)
    os.close(writing)
    return child, reading


def end(child: subprocess.Popen[bytes]) -> None:
    """End a process that ``start`` has started, and wait until it is gone."""
    child.terminate()
    try:
        child.wait(timeout=10)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    if child.stdin:
        with contextlib.suppress(OSError):
            child.stdin.close()
