"""Kafka programs as the trusted side sees them: started in the untrusted process, heard, and ended."""

from __future__ import annotations

import json
import os
import queue
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Literal

from autograder.machine import paths
from autograder.machine.paths import MB
from autograder.oracle.kafka import Place
from autograder.sandbox import process
from autograder.sandbox.bubblewrap import BROKERS, Sandbox
from autograder.wire import (
    BROKEN,
    RELAY_READY,
    Failure,
    KillProgram,
    Limits,
    ProgramAnswer,
    RelayPorts,
    StartProgram,
    TellProgram,
    answer_in,
    to_line,
)

_MOST_HANDLED = 100_000


class ProgramsLostError(Exception):
    """The untrusted process itself is gone. The text is the kind of failure if what ran in it did that, and ran alone."""


@dataclass
class Program:
    """A running or ended program as the grader sees it. ``ended`` says how its function ended."""

    number: int
    group: str
    owner: Programs
    said: queue.SimpleQueue[str] = field(default_factory=queue.SimpleQueue)
    handled: list[Place] = field(default_factory=list)
    paused: bool = False
    died: bool = False
    gone: bool = False
    ended: str | None = None
    failure: Failure | None = None
    fault: str = ""
    printed: str = ""

    def hear(self, seconds: float) -> bool:
        """Take in one thing it says; False when it says nothing for so long."""
        try:
            line = self.said.get(timeout=seconds)
        except queue.Empty:
            return False
        try:
            said = answer_in(ProgramAnswer, line)
        except ValueError:
            self.failure = self.failure or BROKEN
            return True
        self._take(said)
        return True

    def _take(self, said: ProgramAnswer) -> None:
        if said.handled is not None and len(self.handled) < _MOST_HANDLED:
            self.handled.append(said.handled)
        self.paused = self.paused or said.paused
        self.died = self.died or said.died
        self.ended = self.ended or said.ended
        self.fault = self.fault or (said.fault or "")
        self.failure = self.failure or said.failure
        if said.gone is not None:
            self.gone, self.printed = True, said.printed
            if said.gone != "gone":
                self.failure = self.failure or Failure(said.gone)

    def tell(self, word: Literal["g", "s"]) -> None:
        """Write into its control pipe."""
        self.owner.send(TellProgram(self.number, word))

    def kill(self) -> None:
        """SIGKILL, and all it has started; ``gone`` comes when it is done."""
        self.owner.send(KillProgram(self.number))


class Programs:
    """The untrusted process, shared by replays that run at the same time. Use it as a context manager."""

    def __init__(self, sandbox: Sandbox | None = None) -> None:
        self._relay = _Relay() if sandbox else None
        self._child = process.start(
            "autograder.untrusted.kafka_supervisor", sandbox=sandbox, brokers=self._relay.folder if self._relay else None
        )
        self._lock = threading.Lock()
        self._programs: dict[int, Program] = {}
        self._serial = 0
        #: Bytes that are read in all: one bound for an endless line and for endless lines, as for Spark's process.
        self._most = 2 * (sandbox.limits if sandbox else Limits()).observation * MB
        self._broken = ""
        self.lost = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Programs:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def reach(self, ports: Iterable[int]) -> None:
        """Let programs reach the brokers on these ports, where a sandbox keeps them from it."""
        with self._lock:
            new = self._relay.reach(ports) if self._relay else []
            if new:
                self._send(RelayPorts(tuple(new), BROKERS))

    def weigh(self, folder: Path) -> None:
        """Count what is stored in a folder from now on among what confined programs use."""
        if self._child.watch:
            self._child.watch.weigh(folder)

    def start(self, group: str, request: Callable[[int], StartProgram]) -> Program:
        """Start a program; ``request`` makes what is asked, given its number."""
        with self._lock:
            self._serial += 1
            program = self._programs[self._serial] = Program(self._serial, group, self)
        self.send(request(program.number))
        return program

    def send(self, request: object) -> None:
        """One request. Raises ProgramsLostError when nobody is there to do it."""
        with self._lock:
            self._send(request)

    def _send(self, request: object) -> None:
        try:
            self._child.send(to_line(request))
        except OSError as error:
            raise ProgramsLostError(self.fate()) from error

    def fate(self) -> str:
        """What became of a process that is gone, as ``process.Child`` tells it; or that what it wrote is no answer."""
        return self._broken or self._child.fate()

    def _read(self) -> None:
        """Listen in a thread of its own. What is no answer is the end of it all."""
        self._broken = listen(self._child.reading, self._most, self._programs)
        self.lost = True
        if self._broken:
            self._child.process.terminate()
        for program in list(self._programs.values()):
            program.said.put(to_line(ProgramAnswer(gone="gone")))

    def close(self) -> None:
        """End every program and the process."""
        self._child.process.terminate()
        self._reader.join()
        self._child.end()
        if self._relay:
            self._relay.close()


def listen(reading: int, most: int, programs: Mapping[int, Program]) -> str:
    """Hand each line to the program that it names, until there are no more.

    Gives the kind of failure where that is not the end of it: something that is no answer, or more than ``most`` bytes.
    """
    buffer = b""
    try:
        while data := os.read(reading, 1 << 16):
            most -= len(data)
            if most < 0:
                return "too_much_output"
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                number, said = json.loads(line)
                programs[number].said.put(str(said))
    except (ValueError, KeyError, TypeError, RecursionError):
        return "killed_replay"
    return ""


class _Relay:
    """The outer end of the way to the brokers: a process that ends, and takes its folder away, with its owner."""

    def __init__(self) -> None:
        self.folder = paths.scratch_root() / f"autograder-brokers-{secrets.token_hex(4)}"
        command = [sys.executable, "-m", "autograder.untrusted.relay", str(self.folder)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=paths.environment(), start_new_session=True
        )
        self._ports: set[int] = set()
        self._wait()

    def reach(self, ports: Iterable[int]) -> list[int]:
        """Relay these ports too; those that are new are returned."""
        new = sorted(set(ports) - self._ports)
        if new and self._process.stdin:
            self._process.stdin.write(f"{' '.join(map(str, new))}\n")
            self._process.stdin.flush()
            self._wait()
            self._ports |= set(new)
        return new

    def _wait(self) -> None:
        if not self._process.stdout or self._process.stdout.readline() != f"{RELAY_READY}\n":
            raise OSError("The relay to the brokers does not work.")

    def close(self) -> None:
        """End it, and wait until its folder is gone."""
        with self._process:  # it ends when its input does
            pass
