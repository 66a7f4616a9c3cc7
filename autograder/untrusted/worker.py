"""One replay in a process of its own, forked off the child: whatever a submission does to it ends with it."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
import types
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from autograder.machine.jvm import EngineLostError
from autograder.machine.paths import MB
from autograder.untrusted import session, submission
from autograder.untrusted.stopped import Stopped
from autograder.wire import BROKEN, Ask, Batch, Failure, Limits, ReplayAnswer, ReplayRequest, Restart, answer_in, to_line

#: Bytes that a submission may write to one file.
FILE_LIMIT = 64 * 1024 * 1024
#: How often what a stray leaves in its turn is ended too.
_GENERATIONS = 50
_MAX_FAULT = 10_000


#: How a replay is done, by the name in its request: the module whose ``Replay`` does it.
REPLAYS = {"structured": "structured", "dstream": "dstream", "plain": "plain"}


def run(request: ReplayRequest, port: int, secret: str, scratch: Path, answer: int) -> None:
    """Replay a request and write one line to the descriptor ``answer``. Never returns."""
    detach(scratch, request.limits)
    printed = redirect_output(scratch / "printed")
    began = time.monotonic()
    first, *others = parts(request)
    if others:
        result = _joined_parts(request, (_in_a_process(request, port, secret, scratch, part) for part in (first, *others)))
    else:
        result = _told(request, port, secret, scratch, first)
    seconds = round(time.monotonic() - began, 3)
    result = replace(result, seconds=seconds, printed=kept(printed, request.limits.printed_bytes))
    write_whole(answer, to_line(result).encode())
    os._exit(0)


def parts(request: ReplayRequest) -> list[range]:
    """The steps from one restart to the next. A program that is started again is a new process, which remembers nothing."""
    starts = sorted({0, *(index for index, step in enumerate(request.steps) if isinstance(step, Restart))})
    return [range(start, end) for start, end in zip(starts, [*starts[1:], len(request.steps)], strict=True)]


def _in_a_process(request: ReplayRequest, port: int, secret: str, scratch: Path, part: range) -> ReplayAnswer:
    """What a process of its own tells of one part; what it writes is read as a worker's answer."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reading)
            write_whole(writing, to_line(_told(request, port, secret, scratch, part)).encode())
            os._exit(0)
        finally:
            os._exit(70)
    os.close(writing)
    written = b""
    while (data := os.read(reading, 1 << 16)) and len(written) <= request.limits.observation * MB:
        written += data
    os.close(reading)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        return ReplayAnswer(request.id, failure=Failure("cpu_time", str(request.limits.cpu_time)))
    return answer_of(request, written)


def _joined_parts(request: ReplayRequest, answers: Iterable[ReplayAnswer]) -> ReplayAnswer:
    """The parts as one answer; the first that came to no end is the end of it all."""
    columns: tuple[tuple[str, str], ...] = ()
    steps: tuple[tuple[Batch, ...], ...] = ()
    for answer in answers:
        if answer.failure or answer.fault:
            return answer
        columns, steps = answer.columns or columns, (*steps, *answer.steps)
    return ReplayAnswer(request.id, columns, steps)


def answer_of(request: ReplayRequest, written: bytes) -> ReplayAnswer:
    """What a process has written in answer to a request: the submission may have written anything in its place."""
    try:
        json.loads(written)
    except ValueError:
        return ReplayAnswer(request.id, failure=Failure("exited"))
    except RecursionError:
        pass
    try:
        return replace(answer_in(ReplayAnswer, written), id=request.id)
    except ValueError:
        return ReplayAnswer(request.id, failure=BROKEN)


def _told(request: ReplayRequest, port: int, secret: str, scratch: Path, part: range) -> ReplayAnswer:
    """The observation of a part, the failure, or what was a fault of ours. What was printed is on its way."""
    try:
        result = _observe(request, port, secret, scratch, part)
    except BaseException as error:  # noqa: BLE001  # whatever it is, the grader must hear of it
        result = ReplayAnswer(request.id, fault=traceback.format_exc()[-_MAX_FAULT:], lost=isinstance(error, EngineLostError))
    with contextlib.suppress(BaseException):
        sys.stdout.flush()
    return result


def _observe(request: ReplayRequest, port: int, secret: str, scratch: Path, part: range) -> ReplayAnswer:
    """The observation, or the failure; only what is no fault of the submission's is raised."""
    from py4j.protocol import Py4JNetworkError  # type: ignore[import-untyped]  # py4j has no types

    try:
        return _replay(request, port, secret, scratch, part)
    except Stopped as stopped:
        return ReplayAnswer(request.id, failure=stopped.failure)
    except (Py4JNetworkError, ConnectionError):
        return ReplayAnswer(request.id, failure=Failure("killed_engine"))


def _replay(request: ReplayRequest, port: int, secret: str, scratch: Path, part: range) -> ReplayAnswer:
    code = submission.received(request.source)
    joined = _join(port, secret)
    try:
        return _observed(joined, code, request, scratch, part)
    except BaseException as error:
        # Whoever stopped Spark, what came of it here is no fault of this replay's: it is asked again, alone.
        if _gone(joined):
            raise Stopped("killed_engine") from error
        raise
    finally:
        joined.leave()


def _join(port: int, secret: str) -> session.Joined:
    try:
        return session.join(port, secret)
    except BaseException as error:  # nothing of the submission has run yet: another one took Spark down
        raise EngineLostError(f"Spark cannot be joined: {error}") from error


def _observed(joined: session.Joined, code: types.CodeType, request: ReplayRequest, scratch: Path, part: range) -> ReplayAnswer:
    from pyspark import cloudpickle

    module = submission.load(submission.FILE, code)
    # Spark's Python workers cannot import the submission.
    cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]  # PySpark's own
    asked = max((len(step.arguments) for step in request.steps if isinstance(step, Ask)), default=0)
    build = submission.function(module, request.function, len(request.sources) or asked, [*request.parameters, *request.provides])
    opened = importlib.import_module(f"autograder.untrusted.{REPLAYS[request.replay]}").Replay(joined, build, request, scratch)
    try:
        found: ReplayAnswer = opened.run(part)
        return found
    finally:
        opened.clean()


def _gone(joined: session.Joined) -> bool:
    try:
        return bool(joined.context._jsc.sc().isStopped())
    except BaseException:  # noqa: BLE001  # a Spark that cannot be asked is gone
        return True


def detach(scratch: Path, limits: Limits) -> None:
    """A group of its own (so that all it starts can be ended with it) and limits of its own."""
    os.setsid()
    _prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: end with the child that forked this
    _prctl(4, 1)  # PR_SET_DUMPABLE: unlike that child, so that the watch may look at it
    memory, files = limits.process_memory * MB, limits.open_files
    wanted = {"FSIZE": FILE_LIMIT, "CORE": 0, "CPU": limits.cpu_time, "DATA": memory, "NOFILE": files}
    for name, most in wanted.items():
        limit = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(limit)
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (bound, bound))
    os.chdir(scratch)


def become_subreaper() -> None:
    """Become the parent of what submissions leave behind, where ``end_strays`` finds it, and whose memory they cannot open."""
    _prctl(36, 1)  # PR_SET_CHILD_SUBREAPER
    _prctl(4, 0)  # PR_SET_DUMPABLE: /proc/PID/mem and /proc/PID/fd are closed to others


def _prctl(option: int, value: int) -> None:
    """Ask Linux for something that Python has no call for; other systems do without."""
    with contextlib.suppress(OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(option, value)


def end_strays(known: Iterable[int]) -> None:
    """End every child of this process but the known ones: processes that a submission has left behind."""
    known = set(known)
    with contextlib.suppress(OSError):
        for _ in range(_GENERATIONS):
            strays = {int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()} - known
            if not strays:
                return
            for pid in strays:
                end(pid)


def redirect_output(path: Path) -> Path:
    """Standard output and error go to a file, standard input is empty."""
    out = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(out, 1)
    os.dup2(out, 2)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  # lives as long as the process
    return path


def kept(path: Path, most: int) -> str:
    """The beginning of what a submission printed into a file, at most so many bytes."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        return file.read(most).decode("utf-8", "replace")
    return ""


def write_whole(descriptor: int, data: bytes) -> None:
    """Write all of it, however much a pipe takes at once."""
    while data:
        data = data[os.write(descriptor, data) :]


def kill_with_group(pid: int) -> None:
    """SIGKILL for a worker and all that it started; also where it has no group of its own yet."""
    for end in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            end(pid, signal.SIGKILL)


def end(pid: int) -> bool:
    """End a worker with all that it started, and wait for it. Says whether its processor time was over before."""
    kill_with_group(pid)
    _, status = os.waitpid(pid, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU


def forget(scratch: Path) -> None:
    """Remove a replay's files."""
    shutil.rmtree(scratch, ignore_errors=True)
