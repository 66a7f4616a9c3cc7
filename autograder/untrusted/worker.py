"""One replay in a process of its own, forked off the child: whatever a submission does to it ends with it."""

from __future__ import annotations

import contextlib
import importlib
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
from autograder.wire import Ask, Failure, Limits, ReplayAnswer, ReplayRequest, to_line

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
    try:
        result = _observe(request, port, secret, scratch)
    except BaseException as error:  # noqa: BLE001  # whatever it is, the grader must hear of it
        result = ReplayAnswer(request.id, fault=traceback.format_exc()[-_MAX_FAULT:], lost=isinstance(error, EngineLostError))
    with contextlib.suppress(BaseException):
        sys.stdout.flush()
    seconds = round(time.monotonic() - began, 3)
    result = replace(result, seconds=seconds, printed=kept(printed, request.limits.printed_bytes))
    write_whole(answer, to_line(result).encode())
    os._exit(0)


def _observe(request: ReplayRequest, port: int, secret: str, scratch: Path) -> ReplayAnswer:
    """The observation, or the failure; only what is no fault of the submission's is raised."""
    from py4j.protocol import Py4JNetworkError  # type: ignore[import-untyped]  # py4j has no types

    try:
        return _replay(request, port, secret, scratch)
    except Stopped as stopped:
        return ReplayAnswer(request.id, failure=stopped.failure)
    except (Py4JNetworkError, ConnectionError):
        return ReplayAnswer(request.id, failure=Failure("killed_engine"))


def _replay(request: ReplayRequest, port: int, secret: str, scratch: Path) -> ReplayAnswer:
    code = submission.received(request.source)
    joined = _join(port, secret)
    try:
        return _observed(joined, code, request, scratch)
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


def _observed(joined: session.Joined, code: types.CodeType, request: ReplayRequest, scratch: Path) -> ReplayAnswer:
    from pyspark import cloudpickle

    module = submission.load(submission.FILE, code)
    # Spark's Python workers cannot import the submission.
    cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]  # PySpark's own
    asked = max((len(step.arguments) for step in request.steps if isinstance(step, Ask)), default=0)
    build = submission.function(module, request.function, len(request.sources) or asked, [*request.parameters, *request.provides])
    opened = importlib.import_module(f"autograder.untrusted.{REPLAYS[request.replay]}").Replay(joined, build, request, scratch)
    try:
        found: ReplayAnswer = opened.run()
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
    memory, files = limits.process_memory * MB, limits.open_files
    wanted = {"FSIZE": FILE_LIMIT, "CORE": 0, "CPU": limits.cpu_time, "DATA": memory, "NOFILE": files}
    for name, most in wanted.items():
        limit = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(limit)
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (bound, bound))
    os.chdir(scratch)


def become_subreaper() -> None:
    """Become the parent of what submissions leave behind, where ``end_strays`` finds it."""
    _prctl(36, 1)  # PR_SET_CHILD_SUBREAPER


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
