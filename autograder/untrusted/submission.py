"""Load a submission's module, find the function, call it with traps set for what must be left to the replay."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from autograder.untrusted.stopped import Stopped, from_exception

MODULE = "submission"
#: A submission's file in its worker's folder; its name is the same in every run, and so is what an error says of it.
FILE = "submission.py"


def read(path: str) -> types.CodeType:
    """Compile a submission's file, without running anything of it. Raises Stopped when Python cannot read it."""
    source = Path(path).read_bytes()
    try:
        return compile(source, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise Stopped("syntax", error.msg or "", error.lineno, "SyntaxError") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise Stopped("syntax", str(error), None, type(error).__name__) from error


def received(source: str) -> types.CodeType:
    """Write the text that came with the request into this process's folder and compile it. Raises Stopped."""
    Path(FILE).write_text(source, encoding="utf-8")
    return read(FILE)


def load(path: str, code: types.CodeType) -> types.ModuleType:
    """Run a submission's code as a module; a session is there, for what asks for one. Raises Stopped for what it raises."""
    module = types.ModuleType(MODULE)
    module.__file__ = path
    sys.modules[MODULE] = module
    try:
        with traps():
            exec(code, module.__dict__)  # noqa: S102  # running the submission is what a replay is for
    except BaseException as error:
        raise from_exception(error, path, "raised_on_import") from error
    return module


def function(module: types.ModuleType, name: str, positional: int, keywords: list[str]) -> Callable[..., Any]:
    """The function a student was to write. Raises Stopped when it is not there or takes other parameters."""
    found: Callable[..., Any] | None = getattr(module, name, None)
    if not callable(found):
        near = [key for key, value in vars(module).items() if inspect.isfunction(value) and value.__module__ == MODULE]
        raise Stopped("no_function", ", ".join(near[:8]))
    try:
        signature = inspect.signature(found)
        signature.bind(*[None] * positional, **dict.fromkeys(keywords))
    except (TypeError, ValueError) as error:
        code = getattr(found, "__code__", None)
        line = code.co_firstlineno if code else None
        raise Stopped("wrong_parameters", f"{name}{_parameters(found)}", line) from error
    return found


def _parameters(found: Callable[..., Any]) -> str:
    try:
        return f"({', '.join(inspect.signature(found).parameters)})"
    except (TypeError, ValueError):
        return "(…)"


def _trap(kind: str, call: str, sprung: list[Stopped]) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        frame = sys._getframe(1)
        while frame.f_globals.get("__name__") != MODULE and frame.f_back:
            frame = frame.f_back
        sprung.append(Stopped(kind, call, frame.f_lineno if frame.f_globals.get("__name__") == MODULE else None))
        raise sprung[-1]

    return refuse


@contextmanager
def traps() -> Iterator[None]:
    """While a submission's own code runs: starting, waiting for and stopping are the replay's business."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery, StreamingQueryManager
    from pyspark.sql.streaming.readwriter import DataStreamWriter
    from pyspark.streaming import StreamingContext

    plan: list[tuple[Any, str, str]] = [
        (DataStreamWriter, "start", "started"),
        (DataStreamWriter, "toTable", "started"),
        (StreamingQuery, "awaitTermination", "awaited"),
        (StreamingQuery, "processAllAvailable", "awaited"),
        (StreamingQueryManager, "awaitAnyTermination", "awaited"),
        (StreamingContext, "start", "started"),
        (StreamingContext, "awaitTermination", "awaited"),
        (StreamingContext, "awaitTerminationOrTimeout", "awaited"),
        (StreamingContext, "stop", "stopped"),
        (SparkSession, "stop", "stopped"),
        (SparkContext, "stop", "stopped"),
    ]
    originals = [(owner, name, owner.__dict__[name]) for owner, name, _ in plan]
    sprung: list[Stopped] = []
    for owner, name, kind in plan:
        setattr(owner, name, _trap(kind, f"{owner.__name__}.{name}()", sprung))
    try:
        yield
    except BaseException as error:
        if sprung and error is not sprung[0]:
            raise sprung[0] from error
        raise
    finally:
        for owner, name, original in originals:
            setattr(owner, name, original)
    if sprung:  # even where a bare except swallowed it
        raise sprung[0]
