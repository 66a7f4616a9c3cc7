"""Brokers of one's own: ``with broker() as cluster``. Kafka in KRaft mode on loopback, gone afterwards with all its files."""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from autograder.broker import jars, settings
from autograder.machine import paths
from autograder.machine.java import find_java
from autograder.machine.paths import environment
from autograder.sandbox.bubblewrap import Sandbox

#: Seconds in which brokers must have started, or ended when told to: beyond it the machine is at fault.
PATIENCE = 120


class BrokerLostError(Exception):
    """A broker ended or did not start: a fault of ours or of this machine, never of a submission."""


@dataclass
class Cluster:
    """Running brokers, numbered from 1. ``bootstrap`` is what a client is given."""

    folder: Path
    ports: tuple[int, ...]
    guard: subprocess.Popen[bytes]
    events: bytes = b""
    lost: str = ""

    @property
    def bootstrap(self) -> str:
        """The addresses of all brokers, as ``bootstrap_servers`` takes them."""
        return ",".join(f"127.0.0.1:{port}" for port in self.ports)

    def tell(self, verb: str, number: int) -> None:
        """Have the guard start, kill or stop a broker, and wait until it has. Raises BrokerLostError."""
        self.send(f"{verb} {number}\n")
        self.wait({f"{'started' if verb == 'start' else 'ended'} {number}"})

    def send(self, commands: str) -> None:
        """Commands for the guard, a line each. Raises BrokerLostError when it is gone."""
        assert self.guard.stdin is not None
        try:
            self.guard.stdin.write(commands.encode())
            self.guard.stdin.flush()
        except OSError as error:
            raise BrokerLostError("The brokers' guard is gone.") from error

    def wait(self, wanted: set[str]) -> None:
        """Until the guard has told all these events. Raises BrokerLostError when a broker ends in their place."""
        deadline = time.monotonic() + PATIENCE
        missing = set(wanted)
        while missing:
            event = self._event(deadline)
            if event.startswith("ended") and event not in missing:
                self._lose(event)
            missing.discard(event)

    def check(self) -> None:
        """Raise BrokerLostError when a broker has ended that nobody told to."""
        assert self.guard.stdout is not None
        if not self.lost and (self.events or select.select([self.guard.stdout], [], [], 0)[0]):
            self._lose(self._event(time.monotonic()))
        if self.lost:
            raise BrokerLostError(self.lost)

    def _lose(self, event: str) -> NoReturn:
        self.lost = f"A broker ended by itself. {self.last_words(int(event.split()[1]))}"
        raise BrokerLostError(self.lost)

    def _event(self, deadline: float) -> str:
        assert self.guard.stdout is not None
        while b"\n" not in self.events:
            ready, _, _ = select.select([self.guard.stdout], [], [], max(0.0, deadline - time.monotonic()))
            data = os.read(self.guard.stdout.fileno(), 1 << 12) if ready else b""
            if not data:
                raise BrokerLostError("The brokers did not answer." if not ready else "The brokers' guard is gone.")
            self.events += data
        line, self.events = self.events.split(b"\n", 1)
        return line.decode()

    def last_words(self, number: int) -> str:
        """The last errors in a broker's log."""
        log = self.folder / f"broker-{number}.log"
        lines = log.read_text(errors="replace").splitlines() if log.is_file() else []
        return " | ".join([line for line in lines if "ERROR" in line or "Exception" in line][:3] or lines[-2:])

    def close(self) -> None:
        """Kill the brokers and remove their folder."""
        assert self.guard.stdin is not None
        assert self.guard.stdout is not None
        with contextlib.suppress(OSError):
            self.guard.stdin.close()
        self.guard.wait()
        self.guard.stdout.close()


@contextlib.contextmanager
def broker(brokers: int = 1, flags: Sequence[str] | None = None, sandbox: Sandbox | None = None) -> Iterator[Cluster]:
    """Start brokers on free ports in a folder of their own; end them and remove it, whatever happens.

    With ``sandbox`` they run in one, with a network of their own, and see nothing but Java, Kafka's jars and that folder: whoever may
    configure a broker may read through it. The jars must be there (``jars.ensure``). Raises BrokerLostError when they do not start.
    """
    folder = paths.scratch_root() / f"autograder-kafka-{secrets.token_hex(4)}"
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(_held()) for _ in range(2 * brokers)]
        numbers = [found.getsockname()[1] for found in held]
        ports, controllers = numbers[:brokers], numbers[brokers:]
        cluster = _confined(folder, held[:brokers], sandbox) if sandbox else _guarded(folder, ports)
        stack.callback(cluster.close)
        cluster.wait({"ready"})
        settings.write(folder, find_java(), ports, controllers, flags)
        cluster.send("".join(f"start {number}\n" for number in range(1, brokers + 1)))
        cluster.wait({f"started {number}" for number in range(1, brokers + 1)})
        yield cluster


def _guarded(folder: Path, ports: Sequence[int]) -> Cluster:
    """Start the guard first: it makes the folder, so that it can remove it however early its owner ends."""
    return Cluster(folder, tuple(ports), _started("autograder.broker.guard", str(folder)))


def _confined(folder: Path, held: Sequence[socket.socket], sandbox: Sandbox) -> Cluster:
    """The same with the guard in a sandbox. It inherits the ports, which it could not reach from there."""
    java = find_java()
    ports = tuple(found.getsockname()[1] for found in held)
    doors = [f"{port}={found.fileno()}" for port, found in zip(ports, held, strict=True)]
    guard = [sys.executable, "-m", "autograder.broker.guard", str(folder), "--confined", *doors]
    command = sandbox.around_brokers(guard, folder, [jars.folder(), settings.cache_path(java)])
    for found in held:
        found.listen()
    descriptors = [found.fileno() for found in held]
    keeper = _started("autograder.broker.keeper", str(folder), ",".join(map(str, descriptors)), *command, inherited=descriptors)
    for found in held:
        found.close()
    return Cluster(folder, ports, keeper)


def _started(module: str, *arguments: str, inherited: Sequence[int] = ()) -> subprocess.Popen[bytes]:
    command, pipe = [sys.executable, "-m", module, *arguments], subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment(), pass_fds=inherited, start_new_session=True)


def _held() -> socket.socket:
    """A free port that nobody else is given meanwhile: bound, and not listened on, so that a broker can take it."""
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    found.bind(("127.0.0.1", 0))
    return found
