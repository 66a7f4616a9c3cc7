"""What the engines of one grading have started: processes, brokers, a sandbox. Nothing starts before it is needed."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from types import TracebackType
from typing import cast

from autograder.broker.background import Background
from autograder.engines import registry
from autograder.engines.base import Closable, Engine, Observed, P
from autograder.model import GraderFaultError, Request
from autograder.sandbox.bubblewrap import Sandbox


class Runtime:
    """A workplace of engines. Use it as a context manager; it leaves no process behind.

    With ``sandbox`` submissions are confined. ``background`` is the Kafka that a student left running, for replays that one broker is
    enough for. A runtime made ``beside`` another one uses what that one has started and can share. ``prepare`` is called once, before
    the first replay.
    """

    def __init__(
        self,
        sandbox: Sandbox | None = None,
        background: Background | None = None,
        beside: Runtime | None = None,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        self.sandbox, self.background = sandbox, background
        self._prepare = prepare
        self._beside = beside
        self._started: dict[str, Closable] = {}
        self._lock = threading.Lock()
        #: One for each group of engines. They live as long as this runtime: a sandbox ends with the thread that has started it.
        self._threads: dict[str, ThreadPoolExecutor] = {}

    @property
    def confined(self) -> bool:
        """Whether what it replays is confined."""
        return self.sandbox is not None

    def __enter__(self) -> Runtime:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def started(self, name: str, start: Callable[[], P], *, shared: bool = False) -> P:
        """What an engine has started under a name, started now if it was not. What is ``shared`` serves other runtimes too."""
        if shared and self._beside:
            return self._beside.started(name, start, shared=True)
        with self._lock:
            if name not in self._started:
                self._started[name] = start()
            return cast(P, self._started[name])

    def observe(self, requests: Sequence[Request]) -> Iterator[Observed]:
        """The observation of each request, as they come; engines that share nothing work at the same time.

        Raises KitError when what is to be prepared cannot be had.
        """
        if requests and self._prepare:
            self._prepare()
            self._prepare = None
        results: queue.SimpleQueue[Observed] = queue.SimpleQueue()
        for name, group in _groups(requests):
            self._threads.setdefault(name, ThreadPoolExecutor(1)).submit(_observe, self, group, results)
        for _ in requests:
            yield results.get()

    def close(self) -> None:
        """End what was started here; no process is left."""
        for started in self._started.values():
            started.close()
        self._started.clear()
        for thread in self._threads.values():
            thread.shutdown()
        self._threads.clear()


def _engine(request: Request) -> Engine:
    return registry.engine(request.function.engine)


def _groups(requests: Sequence[Request]) -> Iterator[tuple[str, list[Request]]]:
    """The requests by what their engines share."""
    ordered = sorted(requests, key=lambda request: _engine(request).shares)
    return ((name, list(group)) for name, group in groupby(ordered, key=lambda request: _engine(request).shares))


def _observe(runtime: Runtime, requests: list[Request], results: queue.SimpleQueue[Observed]) -> None:
    """Every request gets a result: what an engine raises is a fault of ours, for each that has none yet."""
    waiting = {id(request): request for request in requests}
    why = "The engine gave no answer."
    try:
        for request, found in _engine(requests[0]).observe(requests, runtime):
            if waiting.pop(id(request), None):
                results.put((request, found))
    except Exception as error:  # noqa: BLE001  # whatever fails here is our fault and gives no marks
        why = f"{type(error).__name__}: {error}"
    for request in waiting.values():
        results.put((request, GraderFaultError(why)))
