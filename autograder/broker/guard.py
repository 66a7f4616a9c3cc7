"""Starts brokers and ends them when their owner is gone. ``python -m autograder.broker.guard FOLDER [--stay | --confined PORT=N …]``.

It makes the folder. Commands come on standard input, a line each: ``start N``, ``kill N`` (at once), ``stop N`` (an orderly
shutdown). Its end means that the owner is gone, however it ended: brokers are killed and the folder is removed. With
``--stay`` the folder is there and there is no owner; SIGTERM ends the brokers, and standard input is the folder's lock, which
whoever started it has taken: the guard writes into it its process number, and ``ready`` when all brokers take requests. Events
go to standard output: ``ready``, ``started N``, ``ended N``.

With ``--confined`` it runs in a sandbox, and a ``keeper`` makes and removes the folder. Descriptor N is a socket that listens on the
port outside: what comes to it goes on to the same port in the sandbox's own network.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import selectors
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

#: What a broker logs once it takes requests. Source: kafka.server.KafkaRaftServer.
_STARTED = b"Kafka Server started"
_DIE_WITH_PARENT = 1  # Linux PR_SET_PDEATHSIG
_LIBC = ctypes.CDLL(None)  # looked up here: between fork and exec nothing may wait for another thread


@dataclass
class _Broker:
    """One broker's process, its log, and the end of the log's last line that was not complete."""

    number: int
    process: subprocess.Popen[bytes]
    log: Path
    line: bytes = b""
    up: bool = field(default=False)


class Guard:
    """The loop over commands and logs. It holds a lock on its folder as long as it lives."""

    def __init__(self, folder: Path, *, stay: bool, confined: bool) -> None:
        self.folder, self.stay, self.confined, self.open = folder, stay, confined, True
        self.brokers: dict[int, _Broker] = {}
        self.selector = selectors.DefaultSelector()
        self.commands = b""
        if stay:
            os.pwrite(0, f"{os.getpid()}".encode(), 0)
            return
        lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR)  # closed by the process's end and not before
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.selector.register(0, selectors.EVENT_READ)
        if not confined:
            self.say("ready")

    def loop(self) -> None:
        """Until the owner is gone, or without one until SIGTERM or the last broker ended."""
        if self.stay:
            for number in json.loads((self.folder / "commands.json").read_text()):
                self.start(int(number))
        while self.open and (not self.stay or self.brokers):
            for key, _ in self.selector.select():
                if key.fd == 0:
                    self.read_commands()
                else:
                    self.read_log(key.data)

    def read_commands(self) -> None:
        """Obey the owner; without one, end."""
        data = os.read(0, 1 << 16)
        self.open = bool(data)
        *lines, self.commands = (self.commands + data).split(b"\n")
        for line in lines:
            verb, number = line.decode().split()
            {"start": self.start, "kill": self.kill, "stop": self.stop}[verb](int(number))

    def start(self, number: int) -> None:
        """Start a broker with the command of its number."""
        command = json.loads((self.folder / "commands.json").read_text())[str(number)]
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.folder,
            env={} if self.confined else None,  # what a broker's configuration can name, a submission can read
            preexec_fn=die_with_parent,  # noqa: PLW1509  # the guard has no threads
        )
        assert process.stdout is not None
        broker = _Broker(number, process, self.folder / f"broker-{number}.log")
        self.brokers[number] = broker
        self.selector.register(process.stdout, selectors.EVENT_READ, broker)

    def kill(self, number: int) -> None:
        """End a broker without a word, as a power cut does."""
        if number in self.brokers:
            self.brokers[number].process.kill()

    def stop(self, number: int) -> None:
        """Ask a broker to shut down; it hands over what it leads first."""
        if number in self.brokers:
            self.brokers[number].process.terminate()

    def read_log(self, broker: _Broker) -> None:
        """Keep what a broker logs, and tell when it is up or has ended."""
        assert broker.process.stdout is not None
        data = os.read(broker.process.stdout.fileno(), 1 << 16)
        with broker.log.open("ab") as log:
            log.write(data)
        if not data:
            self.selector.unregister(broker.process.stdout)
            broker.process.stdout.close()
            broker.process.wait()
            del self.brokers[broker.number]
            self.say(f"ended {broker.number}")
            return
        *lines, broker.line = (broker.line + data).split(b"\n")
        if not broker.up and any(_STARTED in line for line in lines):
            broker.up = True
            if self.stay and all(other.up for other in self.brokers.values()):
                os.pwrite(0, f"{os.getpid()} ready".encode(), 0)
            self.say(f"started {broker.number}")

    def say(self, event: str) -> None:
        """One line to whoever listens."""
        with contextlib.suppress(OSError):
            os.write(1, f"{event}\n".encode())

    def close(self) -> None:
        """Leave no process; and no file, where there was an owner."""
        for broker in self.brokers.values():
            broker.process.terminate() if self.stay else broker.process.kill()
        for broker in self.brokers.values():
            broker.process.wait()
        if self.stay:
            os.ftruncate(0, 0)  # whoever takes the lock next is not taken for this process
        elif not self.confined:
            shutil.rmtree(self.folder, ignore_errors=True)


def die_with_parent() -> None:
    """For a process that is about to begin: it ends with the one that started it, where the system can do that (Linux)."""
    with contextlib.suppress(OSError, AttributeError):
        _LIBC.prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def open_doors(sockets: Iterable[str]) -> None:
    """Serve sockets that listen outside, ``PORT=DESCRIPTOR``, in a process of its own."""
    listening = [(int(port), socket.socket(fileno=int(number))) for port, number in (each.split("=") for each in sockets)]
    if os.fork() == 0:
        try:
            die_with_parent()
            _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # whoever opens many must not keep others out
            from autograder.broker import doors  # slow to import, and the brokers do not wait for it

            doors.serve(listening)
        finally:
            os._exit(70)
    for _, outside in listening:
        outside.close()


def main(argv: list[str]) -> int:
    """Guard the brokers of a folder."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    folder, stay, confined = Path(argv[0]), "--stay" in argv, "--confined" in argv
    if confined:
        open_doors(argv[2:])
    elif not stay:
        folder.mkdir(mode=0o700)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    guard = Guard(folder, stay=stay, confined=confined)
    try:
        guard.loop()
    finally:
        guard.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
