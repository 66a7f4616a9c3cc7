"""The untrusted side's entry for Kafka: forks a process for each program, passes on what it says, ends it when told to.

Requests come on standard input, a JSON line each: ``start``, ``tell`` (go on, or stop), ``kill``, ``relay``. Answers go to a descriptor of
their own, with the program's number; the last of each says how its process ended. ``python -m autograder.untrusted.kafka_supervisor
DESCRIPTOR``.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import selectors
import shutil
import signal
import socket
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

from autograder.machine import paths
from autograder.machine.paths import MB
from autograder.untrusted import relay, worker
from autograder.untrusted.kafka_program import Program, fix_client
from autograder.wire import KillProgram, Limits, ProgramAnswer, ProgramRequest, RelayPorts, StartProgram, TellProgram, request_in, to_line


@dataclass
class _Running:
    """A program's process, the pipe that it writes to and the one that it reads from."""

    number: int
    pid: int
    pipe: int
    control: int
    scratch: Path
    limits: Limits
    said: bytes = b""
    amount: int = 0


class Supervisor:
    """The loop over requests and running programs."""

    def __init__(self, out: int, scratch: Path) -> None:
        self.out, self.scratch = out, scratch
        self.running: dict[int, _Running] = {}
        self.relays: list[int] = []
        self.input = b""
        self.open = True
        self.selector = selectors.DefaultSelector()
        self.selector.register(0, selectors.EVENT_READ)

    def loop(self) -> None:
        """Until the grader is gone."""
        while self.open:
            for key, _ in self.selector.select():
                if key.fd == 0:
                    self.read_requests()
                else:
                    self.read(key.data)

    def read_requests(self) -> None:
        """Do what stands on standard input; its end is the grader's."""
        data = os.read(0, 1 << 16)
        self.open = bool(data)
        *lines, self.input = (self.input + data).split(b"\n")
        for line in lines:
            self.obey(request_in(ProgramRequest, line))

    def obey(self, request: StartProgram | TellProgram | KillProgram | RelayPorts) -> None:
        """Do what one request asks for. A program may have ended meanwhile."""
        match request:
            case StartProgram():
                self.start(request)
            case RelayPorts():
                self.open_ports(request)
            case KillProgram(id=number) if number in self.running:
                worker.kill_with_group(self.running[number].pid)
            case TellProgram(id=number, word=word) if number in self.running:
                with contextlib.suppress(OSError):
                    os.write(self.running[number].control, word.encode())

    def start(self, request: StartProgram) -> None:
        """Fork a program; this process has no threads, so a fork is safe."""
        scratch = self.scratch / f"program-{request.id}"
        scratch.mkdir()
        reading, writing = os.pipe()
        control_end, control = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            os.close(control)
            self.become_program(request, scratch, writing, control_end)
        os.close(writing)
        os.close(control_end)
        found = _Running(request.id, pid, reading, control, scratch, request.limits)
        self.running[found.number] = found
        self.selector.register(reading, selectors.EVENT_READ, found)

    def become_program(self, request: StartProgram, scratch: Path, out: int, control: int) -> None:
        """In the forked process: let go of everything of the parent's and run."""
        try:
            self.selector.close()
            os.close(self.out)
            for other in self.running.values():
                os.close(other.pipe)
                os.close(other.control)
            worker.detach(scratch, request.limits)
            worker.redirect_output(scratch / "printed")
            Program(request, out, control).run()
            sys.stdout.flush()
            os._exit(0)
        finally:
            os._exit(70)

    def read(self, running: _Running) -> None:
        """Pass on what a program says, line by line, and how it ended."""
        data = os.read(running.pipe, 1 << 16)
        running.amount += len(data)
        *lines, running.said = (running.said + data).split(b"\n")
        for line in lines:
            self.say(running.number, line.decode("utf-8", "replace"))
        if not data or running.amount > running.limits.observation * MB:
            self.end(running, too_much=bool(data))

    def end(self, running: _Running, too_much: bool) -> None:
        """End a program with all that it started, and say so."""
        over = worker.end(running.pid)
        self.selector.unregister(running.pipe)
        os.close(running.pipe)
        os.close(running.control)
        del self.running[running.number]
        worker.end_strays([*(other.pid for other in self.running.values()), *self.relays])
        printed = worker.kept(running.scratch / "printed", running.limits.printed_bytes)
        shutil.rmtree(running.scratch, ignore_errors=True)
        gone = "too_much_output" if too_much else "cpu_time" if over else "gone"
        self.say(running.number, to_line(ProgramAnswer(gone=gone, printed=printed)))

    def open_ports(self, request: RelayPorts) -> None:
        """Listen on brokers' ports in this sandbox, from now on, and serve them by a process of their own."""
        listening = [(port, socket.create_server(("127.0.0.1", port))) for port in request.ports]
        pid = os.fork()
        if pid == 0:
            try:
                self.selector.close()
                relay.inside(Path(request.folder), listening)
            finally:
                os._exit(70)
        for _, near in listening:
            near.close()
        self.relays.append(pid)

    def say(self, number: int, line: str) -> None:
        """One line to the grader: the program's number and what it said, whatever that is."""
        worker.write_whole(self.out, (json.dumps([number, line]) + "\n").encode())

    def close(self) -> None:
        """Leave no process and no file behind."""
        for running in self.running.values():
            worker.kill_with_group(running.pid)
        for pid in self.relays:
            worker.kill_with_group(pid)
        shutil.rmtree(self.scratch, ignore_errors=True)


def main(argv: list[str]) -> int:
    """Serve requests until the grader is gone."""
    os.environ |= {"TZ": "UTC", "PYTHONWARNINGS": "ignore"}
    time.tzset()
    warnings.simplefilter("ignore")
    logging.getLogger("kafka").setLevel(logging.CRITICAL)  # it names ports and times, which differ from run to run
    import pyspark.sql
    import pyspark.streaming  # noqa: F401  # imported once here, as kafka is by fix_client, so that every forked program has them

    fix_client()
    worker.become_subreaper()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    supervisor = Supervisor(int(argv[0]), Path(tempfile.mkdtemp(prefix="autograder-", dir=paths.scratch_root())))
    try:
        supervisor.loop()
    finally:
        supervisor.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
