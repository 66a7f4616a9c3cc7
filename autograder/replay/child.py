"""The untrusted side's entry: requests on standard input, observations on a descriptor of their own.

It keeps one JVM, forks a worker for every replay, ends those that take too long, and puts a new JVM in place of one
that a submission has spoiled. It holds no expectations and decides nothing.
"""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.replay import classcache, session, worker
from autograder.replay.java import NoJavaError, find_java
from autograder.replay.trouble import Stopped

Wire = dict[str, Any]
#: Ends of a replay after which Spark may not be as it was.
_SPOILS = {"timeout", "cpu_time", "exited", "too_much_output", "killed_engine", "out_of_memory"}


@dataclass
class _Run:
    """A worker under way."""

    pid: int
    request: Wire
    pipe: int
    deadline: float
    scratch: Path
    answer: bytes = b""


class Child:
    """The loop over requests, workers and deadlines."""

    def __init__(self, out: int, workers: int, scratch: Path) -> None:
        self.out, self.workers, self.scratch = out, workers, scratch
        self.waiting: deque[Wire] = deque()
        self.running: dict[int, _Run] = {}
        self.jvm: session.Jvm | None = None
        self.spoiled = False
        self.serial = 0
        self.input = b""
        self.open = True
        self.selector = selectors.DefaultSelector()
        self.selector.register(0, selectors.EVENT_READ)

    def loop(self) -> None:
        """Until the input ends and every request is answered; at once when the grader is gone."""
        while self.open or self.waiting or self.running:
            self.start_what_can()
            for key, _ in self.selector.select(self.patience()):
                if key.fd == 0:
                    self.read_requests()
                else:
                    self.read_answer(self.running[key.fd])
            for run in [run for run in self.running.values() if run.deadline <= time.monotonic()]:
                self.end(run, {"trouble": Stopped("timeout", str(run.request["time_limit"])).record()})

    def patience(self) -> float | None:
        """Seconds until the next deadline."""
        deadlines = [run.deadline for run in self.running.values()]
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    def read_requests(self) -> None:
        """Take what stands on standard input; its end means that no more will come."""
        data = os.read(0, 1 << 16)
        if not data:
            self.open = False
            self.selector.unregister(0)
        *lines, self.input = (self.input + data).split(b"\n")
        self.waiting.extend(json.loads(line) for line in lines)

    def start_what_can(self) -> None:
        """Fork workers while there is room. A spoiled JVM is replaced once nobody uses it any more."""
        while self.waiting and len(self.running) < self.workers:
            request = self.next_request()
            if request is None:
                return
            try:
                self.ready_jvm()
            except (session.EngineLostError, NoJavaError) as error:
                self.say(request, {"fault": str(error)})
                continue
            self.fork(request)

    def next_request(self) -> Wire | None:
        """The first request that may run now: one DStream at a time in a JVM, a suspect alone."""
        if self.running and (self.spoiled or any(run.request.get("alone") for run in self.running.values())):
            return None
        busy = any(run.request["engine"] == "dstream" for run in self.running.values())
        for request in self.waiting:
            if (busy and request["engine"] == "dstream") or (self.running and request.get("alone")):
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

    def fork(self, request: Wire) -> None:
        """Start a worker; this process has no threads, so a fork is safe."""
        self.serial += 1
        scratch = self.scratch / f"replay-{self.serial}"
        scratch.mkdir()
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            self.become_worker(request, scratch, writing)
        os.close(writing)
        self.running[reading] = _Run(pid, request, reading, time.monotonic() + request["time_limit"], scratch)
        self.selector.register(reading, selectors.EVENT_READ)

    def become_worker(self, request: Wire, scratch: Path, answer: int) -> None:
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
        if data and len(run.answer) <= run.request["limits"]["observation"] * worker.MB:
            return
        if data:
            self.end(run, {"trouble": Stopped("too_much_output").record()})
            return
        self.end(run, self.parsed(run))

    def parsed(self, run: _Run) -> Wire | None:
        """The worker's answer; without one it has ended by itself. None: to be asked again, alone."""
        answer = answer_in(run.answer)
        lost = bool(answer.pop("lost", False)) or self.jvm is None or not self.jvm.alive()
        trouble = answer.get("trouble")
        if not (lost and answer.get("fault")) and not (trouble and (lost or trouble["kind"] == "killed_engine")):
            return answer
        self.spoiled = True
        if not run.request.get("alone"):
            return None
        return {"trouble": Stopped("killed_engine").record()} if trouble else answer

    def end(self, run: _Run, answer: Wire | None) -> None:
        """End a worker and all that it started, and pass its answer on."""
        if worker.end(run.pid) and answer:
            answer = {"trouble": Stopped("cpu_time", str(run.request["limits"]["cpu_time"])).record()}
        self.selector.unregister(run.pipe)
        os.close(run.pipe)
        del self.running[run.pipe]
        worker.end_strays([*(other.pid for other in self.running.values()), *([self.jvm.process.pid] if self.jvm else [])])
        worker.forget(run.scratch)
        if answer is None:  # another replay may have taken the JVM down: this one is tried again with nobody beside it
            self.waiting.appendleft(run.request | {"alone": True})
            return
        if (answer.get("trouble") or {}).get("kind") in _SPOILS:
            self.spoiled = True
        self.say(run.request, answer)

    def say(self, request: Wire, answer: Wire) -> None:
        """One line to the grader."""
        worker.write_whole(self.out, line_for(answer | {"id": request["id"]}))

    def close(self) -> None:
        """Leave no process and no file behind."""
        for run in self.running.values():
            worker.kill_with_group(run.pid)
        if self.jvm:
            self.jvm.stop()
        shutil.rmtree(self.scratch, ignore_errors=True)


def answer_in(written: bytes) -> Wire:
    """What a worker has written, as far as this process looks at it: the submission may have written anything in the worker's place."""
    try:
        answer = json.loads(written)
    except ValueError:
        return {"trouble": Stopped("exited").record()}
    except RecursionError:
        answer = None
    trouble = answer.get("trouble") if isinstance(answer, dict) else _BROKEN
    if isinstance(answer, dict) and (trouble is None or (isinstance(trouble, dict) and isinstance(trouble.get("kind"), str))):
        return answer
    return {"trouble": _BROKEN}


def line_for(answer: Wire) -> bytes:
    """An answer as the door takes it."""
    try:
        return (json.dumps(answer) + "\n").encode()
    except RecursionError:
        return (json.dumps({"trouble": _BROKEN, "id": answer["id"]}) + "\n").encode()


_BROKEN = Stopped("broken_observation").record()


def main(argv: list[str]) -> int:
    """``python -m autograder.replay.child DESCRIPTOR WORKERS``."""
    os.environ |= {"TZ": "UTC", "PYTHONWARNINGS": "ignore"}
    time.tzset()
    warnings.simplefilter("ignore")  # PySpark's own warnings would stand in what a submission printed
    import pyspark.sql
    import pyspark.streaming  # noqa: F401  # imported once here, so that every forked worker has it
    from pyspark.logger import PySparkLogger

    # It would put the time of day into what a submission printed; the error itself is told anyway.
    PySparkLogger.getLogger("SQLQueryContextLogger").disabled = True
    worker.become_subreaper()
    scratch = Path(tempfile.mkdtemp(prefix="autograder-", dir=session.scratch_root()))
    child = Child(int(argv[0]), int(argv[1]), scratch)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        child.loop()
    finally:
        child.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
