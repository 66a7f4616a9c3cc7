"""Turn whatever a submission raised into a failure that a student can use: its kind, the line and the text."""

from __future__ import annotations

import re
import traceback
from types import TracebackType

from autograder.wire import Failure

_MAX_TEXT, _MAX_NAME = 600, 200
_NO_MEMORY = ("java.lang.OutOfMemoryError", "Java heap space")
#: How Python and Java say that a limit of the process was reached. Source: errno(3) EMFILE, EFBIG, ENOSPC; CPython's thread module.
_LIMITS = {
    "[Errno 24]": "too_many_files",
    "[Errno 27]": "disk_full",
    "[Errno 28]": "disk_full",
    "No space left on device": "disk_full",
    "can't start new thread": "too_many_processes",
}
_NOT_A_STREAM_ACTION = "Queries with streaming sources must be executed with writeStream.start()"
#: The last line of a Python traceback: the error's name, whatever it is called, and its text.
_RAISED = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n)+(?:[\w.]+\.)?(\w+)(?:: ?(.*))?$", re.MULTILINE)
#: Different in every run.
_IDS = re.compile(r" ?\[id = [0-9a-f-]+, runId = [0-9a-f-]+\]")
_TASK_FRAME = re.compile(r'File "([^"]*)", line (\d+)')


class Stopped(BaseException):
    """A replay that cannot go on. Not an Exception: a submission's ``except Exception`` must not swallow it."""

    def __init__(self, kind: str, text: str = "", line: int | None = None, error: str = "", step: int | None = None) -> None:
        super().__init__(kind)
        self.failure = Failure(kind, text[:_MAX_TEXT], line, error[:_MAX_NAME], step)


def line_in(path: str, trace: TracebackType | None) -> int | None:
    """The innermost line of a file in a traceback."""
    lines = [frame.lineno for frame in traceback.extract_tb(trace) if frame.filename == path]
    return lines[-1] if lines else None


def from_exception(error: BaseException, path: str, kind: str, step: int | None = None) -> Stopped:
    """The failure behind an exception that came out of a submission or out of Spark while running it."""
    if isinstance(error, Stopped):
        return error
    text, name = message(error), type(error).__name__
    line = line_in(path, error.__traceback__) or _line_in_text(path, str(error))
    if isinstance(error, NotImplementedError):
        kind = "not_written"
    elif isinstance(error, ModuleNotFoundError):
        kind, text = "missing_module", str(error.name)
    elif isinstance(error, MemoryError) or any(found in text for found in _NO_MEMORY):
        kind = "out_of_memory"
    elif limits := [found for words, found in _LIMITS.items() if words in text]:
        kind = limits[0]
    elif isinstance(error, SystemExit):
        kind, text = "exited", f"exit({error.code})"
    elif _NOT_A_STREAM_ACTION in text:
        kind = "batch_action"
    elif kind == "raised" and name == "AnalysisException":
        kind = "refused"
    elif kind == "raised_at_step":
        kind, name, text = _at_step(str(error), name, text)
    return Stopped(kind, text, line, name, step)


def _at_step(whole: str, name: str, text: str) -> tuple[str, str, str]:
    """Kind, error name and text of a query that died by a task, by a function in the driver, or by Spark."""
    kind = "raised_in_task" if "PythonException" in whole else "raised_at_step"
    python_errors = re.findall(r"^\s*(?:[\w.]+\.)?(\w*(?:Error|Exception|Iteration|Interrupt)): ?(.*)$", whole, re.MULTILINE)
    ours = [found for found in python_errors if found[0] not in {"PythonException", "StreamingQueryException", "Py4JException"}]
    ours = ours or _RAISED.findall(whole)
    if ours:
        return kind, ours[-1][0], ours[-1][1].strip()[:_MAX_TEXT]
    return kind, name, text


def message(error: BaseException) -> str:
    """The first telling line of an error, without the JVM's stack."""
    text = str(getattr(error, "desc", None) or error)
    java = getattr(error, "java_exception", None)
    if java is not None:
        text = str(java.getMessage() or java.toString())
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    kept: list[str] = []
    for line in lines:
        if line.startswith(("at ", "JVM stacktrace", "== SQL", "Traceback")) or (kept and line.startswith("'")):
            break
        kept.append(line)
    return _IDS.sub("", " ".join(kept[:3]))[:_MAX_TEXT]


def _line_in_text(path: str, text: str) -> int | None:
    lines = [int(number) for file, number in _TASK_FRAME.findall(text) if file == path]
    return lines[-1] if lines else None
