"""What passes between the trusted and the untrusted side: records that both sides know, one in a JSON line.

Requests go in, answers come out. Nothing else of the kit is known on both sides.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, dataclass_transform

from annotated_types import Ge, Le, MaxLen
from pydantic import Discriminator, TypeAdapter

T = TypeVar("T")
#: A cell. Event times are integers: microseconds since the UTC epoch.
Value: TypeAlias = bool | int | float | str | None
#: One row, by column name. A DStream element that is no tuple has the single column ``value``.
Row: TypeAlias = dict[str, Any]


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """A frozen dataclass that takes nothing when it is read but what it names, and converts no value."""
    cls.__pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[attr-defined]  # read by pydantic
    return dataclass(frozen=True)(cls)


@record
class Limits:
    """What a submission may use. Times in seconds, sizes in megabytes (10^6 bytes).

    ``memory`` and ``processes`` (threads count too) hold for everything that is confined together, Spark included; the others for
    one process of a submission's. PySpark needs about 100 threads.
    """

    submission_time: Annotated[int, Ge(1), Le(86_400)] = 1200
    cpu_time: Annotated[int, Ge(1), Le(3600)] = 120
    memory: Annotated[int, Ge(1000), Le(1_000_000)] = 4000
    process_memory: Annotated[int, Ge(200), Le(1_000_000)] = 1500
    processes: Annotated[int, Ge(150), Le(100_000)] = 600
    open_files: Annotated[int, Ge(64), Le(1_000_000)] = 1024
    scratch: Annotated[int, Ge(16), Le(1_000_000)] = 512
    observation: Annotated[int, Ge(1), Le(1000)] = 8
    printed_bytes: Annotated[int, Ge(100), Le(10_000)] = 2000


@record
class Failure:
    """Why a replay did not come to its end. ``kind`` is a key of ``judge.messages``, ``line`` the submission's, ``step`` counts from 0."""

    kind: Annotated[str, MaxLen(100)]
    text: Annotated[str, MaxLen(4000)] = ""
    line: Annotated[int, Ge(0), Le(10_000_000)] | None = None
    error: Annotated[str, MaxLen(200)] = ""
    step: Annotated[int, Ge(0), Le(10_000_000)] | None = None


@record
class Add:
    """Rows that arrive together, by source. For a DStream, one batch."""

    rows: Mapping[str, tuple[Row, ...]]
    step: Literal["add"] = "add"


@record
class Restart:
    """The query is stopped and started again on its checkpoint.

    ``crash`` loses the last batch's commit, so that this batch runs again under the same batch id.
    """

    crash: bool = False
    step: Literal["restart"] = "restart"


@record
class Ask:
    """A plain function is called with these arguments; what it returns is the step's only row."""

    arguments: tuple[Any, ...]
    step: Literal["ask"] = "ask"


ReplayStep: TypeAlias = Annotated[Add | Restart | Ask, Discriminator("step")]


@record
class ReplayRequest:
    """One replay in Spark's process: a function of a submission's text, and the steps that it is fed.

    ``replay`` names how (a key of ``untrusted.worker.REPLAYS``). ``mode`` is the output mode in which a returned DataFrame runs. Without
    ``no_data_batches`` no batch runs between steps. ``provides`` are extra keyword arguments. Of the requests that name the same
    group in ``one_at_a_time`` one runs at a time, and an ``alone`` one beside no other. ``time_limit`` in seconds. Rows that arrive
    together, and those of a shuffle, lie on so many ``partitions``.
    """

    id: int
    source: str
    function: str
    replay: str
    sources: tuple[str, ...]
    schemas: Mapping[str, tuple[tuple[str, str], ...]]
    parameters: Mapping[str, Any]
    provides: tuple[str, ...]
    mode: str | None
    steps: tuple[ReplayStep, ...]
    time_limit: int
    limits: Limits = Limits()
    no_data_batches: bool = True
    partitions: int = 1
    one_at_a_time: str = ""
    alone: bool = False


@record
class Batch:
    """One trigger's output: rows as lists of cells. ``watermark`` in ms; None where the engine has no such thing."""

    rows: list[list[Any]]
    watermark: int | None = None
    dropped: int | None = None
    state: int | None = None


@record
class ReplayAnswer:
    """What a replay observed: by step its batches, ``columns`` as (name, Spark type); or why it has no end.

    ``fault`` is for the instructor: what failed was not the submission. ``lost`` says that Spark itself was gone.
    """

    id: int
    columns: tuple[tuple[str, str], ...] = ()
    steps: tuple[tuple[Batch, ...], ...] = ()
    failure: Failure | None = None
    fault: Annotated[str, MaxLen(20_000)] | None = None
    printed: Annotated[str, MaxLen(10_000)] = ""
    seconds: float = 0.0
    lost: bool = False


@record
class HandlerPlan:
    """What the handler does at its n-th record: raise, or end its process while handling it or after it. 0: never."""

    raises_at: Annotated[int, Ge(0)] = 0
    dies_while: Annotated[int, Ge(0)] = 0
    dies_after: Annotated[int, Ge(0)] = 0


@record
class StartProgram:
    """Start a Kafka program: a call of a submission's function. ``mark`` ends the names of its topics and groups."""

    id: int
    source: str
    function: str
    bootstrap: str
    parameters: Mapping[str, Any]
    provides: tuple[str, ...]
    handle: HandlerPlan
    readings: tuple[dict[str, Any], ...]
    pause_at: int | None
    mark: str
    limits: Limits
    verb: Literal["start"] = "start"


@record
class TellProgram:
    """Write ``word`` into a program's control pipe: go on, or stop."""

    id: int
    word: Literal["g", "s"]
    verb: Literal["tell"] = "tell"


@record
class KillProgram:
    """End a program with SIGKILL, and all that it started."""

    id: int
    verb: Literal["kill"] = "kill"


@record
class RelayPorts:
    """Listen on these ports of brokers in the sandbox; the sockets to the brokers are in ``folder``."""

    ports: tuple[int, ...]
    folder: str
    verb: Literal["relay"] = "relay"


ProgramRequest: TypeAlias = Annotated[StartProgram | TellProgram | KillProgram | RelayPorts, Discriminator("verb")]
#: Words of ``TellProgram``.
GO_ON: Literal["g"] = "g"
STOP: Literal["s"] = "s"
#: Stands in a reading for a thing that JSON cannot carry.
NOT_JSON = "~object"
#: What the outer end of the relay to the brokers says when it is ready, and again for every line of ports.
RELAY_READY = "ready"


@record
class ProgramAnswer:
    """What a Kafka program says, one of these: a record handled (partition, offset), that it pauses, died, ended or failed.

    ``gone`` comes last, when its process has ended: ``gone``, or the kind of a failure.
    """

    handled: tuple[int, int] | None = None
    paused: bool = False
    died: bool = False
    ended: Annotated[str, MaxLen(300)] | None = None
    failure: Failure | None = None
    fault: Annotated[str, MaxLen(20_000)] | None = None
    gone: Annotated[str, MaxLen(100)] | None = None
    printed: Annotated[str, MaxLen(10_000)] = ""


def to_line(sent: object) -> str:
    """A record as a line of JSON, with its end. Raises RecursionError for what is nested too deeply."""
    return json.dumps(asdict(sent)) + "\n"  # type: ignore[call-overload]  # any record


def request_in(kind: Any, line: str | bytes) -> Any:
    """A request, as the trusted side wrote it."""
    return _adapter(kind).validate_python(json.loads(line), strict=False)


def answer_in(kind: type[T], line: str | bytes) -> T:
    """An answer, which anybody may have written. Raises pydantic's ValidationError for what is none."""
    reader: Any = _adapter
    found: T = reader(kind).validate_json(line)
    return found


@functools.cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


#: What an answer is that cannot be read.
BROKEN = Failure("broken_observation")
