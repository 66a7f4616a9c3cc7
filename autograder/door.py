"""The door to the untrusted side, where Spark's and Kafka's replays agree: its process, and what may come through."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from autograder.replay.session import environment
from autograder.sandbox.bubblewrap import Sandbox
from autograder.sandbox.watch import Watch

#: bubblewrap's exit code for a process that a signal ended is this and the signal's number, as a shell's is.
_SIGNALLED = 128


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


@dataclass(frozen=True)
class Child:
    """A process of the untrusted side: it is written to through its standard input, and answers at ``reading``."""

    process: subprocess.Popen[bytes]
    reading: int
    watch: Watch | None

    def send(self, text: str) -> None:
        """Write to it. Raises OSError when it is gone."""
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def fate(self) -> str:
        """What became of a child that has ended by itself: the kind of a submission's trouble, or nothing when it is our fault.

        A process of ours ends with a code of its own; what kills it can only be what it runs, if that ran alone.
        """
        try:
            code = self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:  # it has closed the door and lives
            return "killed_replay"
        if self.watch and self.watch.exceeded:
            return self.watch.exceeded
        return "killed_replay" if code < 0 or code > _SIGNALLED else ""

    def end(self) -> None:
        """End it with all that it started, and wait until it is gone."""
        if self.watch:
            self.watch.stop()
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdin:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        os.close(self.reading)


def start(module: str, *arguments: str, sandbox: Sandbox | None = None, brokers: Path | None = None) -> Child:
    """Start a module of the untrusted side, confined or not. Its first argument is where it answers."""
    reading, writing = os.pipe()
    command = [sys.executable, "-m", module, str(writing), *arguments]
    if sandbox:
        command = sandbox.command(command, brokers)
    # bubblewrap itself stands in the namespace's /proc, with the environment that it was started with.
    env = {} if sandbox else environment()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[writing], env=env, start_new_session=True)
    os.close(writing)
    return Child(process, reading, Watch(process.pid, sandbox.limits) if sandbox else None)
