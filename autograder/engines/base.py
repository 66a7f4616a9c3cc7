"""What an engine is to the rest of the kit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar, runtime_checkable

from autograder.machine.progress import Progress
from autograder.model import Drive, GraderFaultError, Observation, Request

if TYPE_CHECKING:  # naming an engine must load neither, also where the kit does not run
    from autograder.broker.background import Background
    from autograder.sandbox.bubblewrap import Sandbox

#: A request and its observation; a fault of ours comes as GraderFaultError, never as a result.
Observed: TypeAlias = tuple[Request, Observation | GraderFaultError]


class Observer(Protocol):
    """Who replays requests: a runtime of the engines, or records of what one observed."""

    @property
    def confined(self) -> bool:
        """Whether submissions are confined."""

    def observe(self, requests: Sequence[Request]) -> Iterator[Observed]:
        """The observation of each request, as they come."""


class Closable(Protocol):
    """Something that was started and must be ended."""

    def close(self) -> None:
        """End it, and all that it started."""


P = TypeVar("P", bound=Closable)


class Workplace(Protocol):
    """What engines have started for one grading, and where: a sandbox, and a Kafka that runs in the background."""

    @property
    def sandbox(self) -> Sandbox | None:
        """What confines submissions; None where nothing does."""

    @property
    def background(self) -> Background | None:
        """The brokers that a student left running."""

    def started(self, name: str, start: Callable[[], P], *, shared: bool = False) -> P:
        """What was started under a name, started now if it was not. What is ``shared`` serves other gradings too."""


class Engine(Protocol):
    """Something that runs a student's function on a fixture, step by step. It has no state of its own: the workplace has."""

    @property
    def name(self) -> str:
        """What a manifest calls it."""

    @property
    def drives(self) -> tuple[Drive, ...]:
        """The ways in which it can be fed; the first is the usual one."""

    @property
    def provides(self) -> tuple[str, ...]:
        """The extra keyword arguments that a function may ask for."""

    @property
    def needs_brokers(self) -> bool:
        """Whether Kafka must be on the machine."""

    @property
    def has_columns(self) -> bool:
        """Whether the manifest names the columns of a function's result."""

    @property
    def tells_silence(self) -> bool:
        """Whether a step without output is something else than one that emits no rows."""

    @property
    def shares(self) -> str:
        """Engines that name the same are asked together, so that their replays run beside each other."""

    def exclusive(self, request: Request) -> str:
        """Requests with the same name run one at a time; with an empty one they run beside any other."""

    def prepare(self, progress: Progress) -> None:
        """Have ready on this machine what replays need. Raises KitError when it cannot be had."""

    def observe(self, requests: Sequence[Request], workplace: Workplace) -> Iterator[Observed]:
        """The observation of each request, as they come."""


@runtime_checkable
class Caller(Protocol):
    """What an engine may have besides: it loads a program and calls its function as ``untrusted.submission`` does.

    So what the program's text tells of the call is certain, and told before anything is replayed.
    """

    def positional(self, request: Request) -> int:
        """How many arguments the function is called with by position. By keyword come its parameters and what the engine provides."""
