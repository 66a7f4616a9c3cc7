"""The untrusted side's entry: requests on standard input, observations on a descriptor of their own.

It keeps one JVM, forks a worker for every replay, ends those that take too long, and puts a new JVM in place of one
that a submission has spoiled. It holds no expectations and decides nothing.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.machine import classcache, jvm, paths
from autograder.machine.clock import Clock
from autograder.machine.java import NoJavaError, find_java
from autograder.machine.paths import MB
from autograder.untrusted import worker
from autograder.wire import BROKEN, Failure, ReplayAnswer, ReplayRequest, request_in, to_line

#: Seconds between two looks at the clock while replays are under way.
_LOOK = 0.1
#: Ends of a replay after which Spark may not be as it was.
_SPOILS = {"timeout", "cpu_time", "exited", "too_much_output", "killed_engine", "out_of_memory"}


@dataclass
class _Run:
    """A worker under way."""

    pid: int
    request: ReplayRequest
    pipe: int
    deadline: float
    scratch: Path
    answer: bytes = b""


class Supervisor:
    """The loop over requests, workers and deadlines."""

    def __init__(self, out: int, workers: int, scratch: Path) -> None:
        self.out, self.workers, self.scratch = out, workers, scratch
        self.waiting: deque[ReplayRequest] = deque()
        self.running: dict[int, _Run] = {}
        self.jvm: jvm.Jvm | None = None
        self.spoiled = False
        self.serial = 0
        self.clock = Clock()
        self.input = b""
        self.open = True
        self.selector = selectors.DefaultSelector()
        self.selector.register(0, selectors.EVENT_READ)

    def loop(self) -> None:
        """Until the input ends and every request is answered; at once when the grader is gone."""
        while self.open or self.waiting or self.running:
            self.start_what_can()
            for key, _ in self.selector.select(_LOOK if self.running else None):
                if key.fd == 0:
                    self.read_requests()
                else:
                    self.read_answer(self.running[key.fd])
            now = self.clock.now()
            for run in [run for run in self.running.values() if run.deadline <= now]:
                self.end(run, _failed(run.request, "timeout", str(run.request.time_limit)))

    def read_requests(self) -> None:
        """Take what stands on standard input; its end means that no more will come."""
        data = os.read(0, 1 << 16)
        if not data:
            self.open = False
            self.selector.unregister(0)
        *lines, self.input = (self.input + data).split(b"\n")
        self.waiting.extend(request_in(ReplayRequest, line) for line in lines)

    def start_what_can(self) -> None:
        """Fork workers while there is room. A spoiled JVM is replaced once nobody uses it any more."""
        while self.waiting and len(self.running) < self.workers:
            request = self.next_request()
            if request is None:
                return
            try:
                self.ready_jvm()
            except (jvm.EngineLostError, NoJavaError) as error:
                self.say(ReplayAnswer(request.id, fault=str(error)))
                continue
            self.fork(request)

    def next_request(self) -> ReplayRequest | None:
        """The first request that may run now: one of each group at a time in a JVM, a suspect alone."""
        if self.running and (self.spoiled or any(run.request.alone for run in self.running.values())):
            return None
        busy = {run.request.one_at_a_time for run in self.running.values()} - {""}
        for request in self.waiting:
            if request.one_at_a_time in busy or (self.running and request.alone):
                continue
            self.waiting.remove(request)
            return request
        return None

    def ready_jvm(self) -> None:
        """A JVM that works, also for plain functions: their file may ask for a session at its top."""
        if self.jvm and (self.spoiled or not self.jvm.alive()):
            self.jvm.stop()
            self.jvm = None
        if self.jvm is None:
            java = find_java()
            self.jvm = classcache.start_jvm(java, self.scratch)
            self.spoiled = False

    def fork(self, request: ReplayRequest) -> None:
        """Start a worker; this process has no threads, so a fork is safe."""
        self.serial += 1
        scratch = self.scratch / f"replay-{self.serial}"
        scratch.mkdir()
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            self.become_worker(request, scratch, writing)
        os.close(writing)
        self.running[reading] = _Run(pid, request, reading, self.clock.now() + request.time_limit, scratch)
        self.selector.register(reading, selectors.EVENT_READ)

    def become_worker(self, request: ReplayRequest, scratch: Path, answer: int) -> None:
        """In the forked process: let go of everything of the parent's and replay."""
        try:
            self.selector.close()
            for descriptor in (self.out, *self.running):
                os.close(descriptor)
            if self.jvm and self.jvm.process.stdin:
                os.close(self.jvm.process.stdin.fileno())
            port, secret = (self.jvm.port, self.jvm.secret) if self.jvm else (0, "")
            worker.run(request, port, secret, scratch, answer)
        finally:
            os._exit(70)

    def read_answer(self, run: _Run) -> None:
        """Bytes of a worker's answer, or its end."""
        data = os.read(run.pipe, 1 << 16)
        run.answer += data
        if data and len(run.answer) <= run.request.limits.observation * MB:
            return
        if data:
            self.end(run, _failed(run.request, "too_much_output"))
            return
        self.end(run, self.parsed(run))

    def parsed(self, run: _Run) -> ReplayAnswer | None:
        """The worker's answer; without one it has ended by itself. None: to be asked again, alone."""
        answer = worker.answer_of(run.request, run.answer)
        lost = answer.lost or self.jvm is None or not self.jvm.alive()
        if not (lost and answer.fault) and not (answer.failure and (lost or answer.failure.kind == "killed_engine")):
            return replace(answer, lost=False)
        self.spoiled = True
        if not run.request.alone:
            return None
        return _failed(run.request, "killed_engine") if answer.failure else replace(answer, lost=False)

    def end(self, run: _Run, answer: ReplayAnswer | None) -> None:
        """End a worker and all that it started, and pass its answer on."""
        if worker.end(run.pid) and answer:
            answer = _failed(run.request, "cpu_time", str(run.request.limits.cpu_time))
        self.selector.unregister(run.pipe)
        os.close(run.pipe)
        del self.running[run.pipe]
        worker.end_strays([*(other.pid for other in self.running.values()), *([self.jvm.process.pid] if self.jvm else [])])
        worker.forget(run.scratch)
        if answer is None:  # another replay may have taken the JVM down: this one is tried again with nobody beside it
            self.waiting.appendleft(replace(run.request, alone=True))
            return
        if answer.failure and answer.failure.kind in _SPOILS:
            self.spoiled = True
        self.say(answer)

    def say(self, answer: ReplayAnswer) -> None:
        """One line to the grader."""
        worker.write_whole(self.out, line_for(answer))

    def close(self) -> None:
        """Leave no process and no file behind."""
        for run in self.running.values():
            worker.kill_with_group(run.pid)
        if self.jvm:
            self.jvm.stop()
        shutil.rmtree(self.scratch, ignore_errors=True)


def line_for(answer: ReplayAnswer) -> bytes:
    """An answer as the grader reads it."""
    try:
        return to_line(answer).encode()
    except RecursionError:
        return to_line(ReplayAnswer(answer.id, failure=BROKEN)).encode()


def _failed(request: ReplayRequest, kind: str, text: str = "") -> ReplayAnswer:
    return ReplayAnswer(request.id, failure=Failure(kind, text))


def main(argv: list[str]) -> int:
    """``python -m autograder.untrusted.supervisor DESCRIPTOR WORKERS``."""
    os.environ |= {"TZ": "UTC", "PYTHONWARNINGS": "ignore"}
    time.tzset()
    warnings.simplefilter("ignore")  # PySpark's own warnings would stand in what a submission printed
    import pyspark.sql
    import pyspark.streaming  # noqa: F401  # imported once here, so that every forked worker has it
    from pyspark.logger import PySparkLogger

    # It would put the time of day into what a submission printed; the error itself is told anyway.
    PySparkLogger.getLogger("SQLQueryContextLogger").disabled = True
    worker.become_subreaper()
    scratch = Path(tempfile.mkdtemp(prefix="autograder-", dir=paths.scratch_root()))
    supervisor = Supervisor(int(argv[0]), int(argv[1]), scratch)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        supervisor.loop()
    finally:
        supervisor.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
