"""Spark in time replaced: of every replay something stays in its JVM until that ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from autograder.engines.base import Observed
from autograder.model import Request, Restart

#: State stores after which Spark is replaced. Spark unloads them when it maintains them (every hour), and each has a copy of Hadoop's
#: configuration, 2,500 map entries. With the rest that stays of a replay (a gateway, two listeners) it was 0.25 MB a store, and the JVM
#: has 600 MB.
MOST_STORES = 500


class Replays(Protocol):
    """Who replays in a process of its own, which starts with the first replay, and again after it was closed."""

    def observe(self, requests: Sequence[Request], exclusive: Callable[[Request], str]) -> Iterator[Observed]:
        """The observation of each request, as they come."""

    def close(self) -> None:
        """End the process."""


class Renewed:
    """Replays whose process is ended, so that another one starts, before it would keep more than ``MOST_STORES`` state stores."""

    def __init__(self, replays: Replays) -> None:
        self._replays = replays
        self._kept = 0

    def observe(self, requests: Sequence[Request], exclusive: Callable[[Request], str]) -> Iterator[Observed]:
        """The observation of each request, as they come."""
        for part in self._parts(requests):
            yield from self._replays.observe(part, exclusive)

    def _parts(self, requests: Sequence[Request]) -> Iterator[list[Request]]:
        """The requests, in order; between two parts the process is ended."""
        part: list[Request] = []
        for request in requests:
            if self._kept and self._kept + stores(request) > MOST_STORES:
                if part:
                    yield part
                part = []
                self.close()
            part.append(request)
            self._kept += stores(request)
        yield part

    def close(self) -> None:
        """End the process with all that it started; none is left."""
        self._replays.close()
        self._kept = 0


def stores(request: Request) -> int:
    """How many state stores a replay leaves at most: one for each partition and start of a query."""
    starts = 1 + sum(isinstance(step, Restart) for step in request.fixture.steps)
    return starts * request.fixture.partitions
