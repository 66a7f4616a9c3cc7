"""A process of the untrusted side: started confined or not, written to and read from, ended with all that it started."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from autograder.machine.paths import environment
from autograder.sandbox import seccomp
from autograder.sandbox.bubblewrap import Sandbox
from autograder.sandbox.watch import Watch

#: bubblewrap's exit code for a process that a signal ended is this and the signal's number, as a shell's is.
_SIGNALLED = 128


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
        """What became of a child that has ended by itself: the kind of a submission's failure, or nothing when it is our fault.

        A process of ours ends with a code of its own; what kills it can only be what it runs, if that ran alone.
        """
        try:
            code = self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:  # it has closed its end and lives
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
    inherited = [writing]
    if sandbox:
        filtered = seccomp.opened()
        command = sandbox.command(command, brokers, filtered)
        inherited += [] if filtered is None else [filtered]
    # bubblewrap itself stands in the namespace's /proc, with the environment that it was started with.
    env = {} if sandbox else environment()
    # What is confined has no descriptor of the grader's: it could write to its output, and read the file that this goes to.
    shown = subprocess.DEVNULL if sandbox else None
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=shown, stderr=shown, pass_fds=inherited, env=env, start_new_session=True
    )
    for descriptor in inherited:
        os.close(descriptor)
    return Child(process, reading, Watch(process.pid, sandbox.limits) if sandbox else None)
