"""Observations that were recorded: a replay is deterministic, so what it observed can be kept and judged again.

For tests of judge, reports and content. A record never decides a student's mark, and what has none is replayed.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Generic, TypeGuard, TypeVar

from pydantic import TypeAdapter

from autograder.engines import registry
from autograder.engines.base import Observed, Observer
from autograder.machine import paths
from autograder.machine.paths import short_hash
from autograder.machine.syntax import parse
from autograder.model import GraderFaultError, Observation, Request

T = TypeVar("T")
_PACKAGE = Path(__file__).resolve().parent.parent
#: What decides what a replay in Spark observes: the untrusted side and its machine, and what asks it.
_SPARK = (
    "wire.py",
    "untrusted",
    "machine/clock.py",
    "machine/jvm.py",
    "machine/localfiles.py",
    "machine/gateway.py",
    "engines/spark_replays.py",
)
#: What decides, beside that, what a replay on brokers observes, and has nothing to do with one in Spark.
_BROKERS = (
    "untrusted/connector_demo.py",
    "untrusted/kafka_program.py",
    "untrusted/kafka_supervisor.py",
    "untrusted/relay.py",
    "engines/kafka_replays.py",
    "broker/replay.py",
    "broker/scene.py",
    "broker/looks.py",
    "broker/observer.py",
    "broker/programs.py",
    "broker/settings.py",
    "oracle/kafka.py",
)
#: What is installed; and which Kafka is fetched.
_LOCK, _BROKER_LOCK = "requirements/run.lock", "autograder/broker/broker.lock"
#: Ends of a replay that a busy machine may bring about: they are observed again each time, and so is what names a folder of this machine.
_BY_LOAD = {"submission_time", "out_of_memory", "too_many_processes", "killed_engine", "killed_brokers", "killed_replay"}
#: Of so many requests one is replayed although there is a record.
_ONE_IN = 40


@functools.cache
def code_hash(*, brokers: bool = False) -> str:
    """One word for the code and the packages that observations depend on, in Spark or on brokers; comments and docstrings do not count."""
    found = [path for name in _SPARK for path in ([_PACKAGE / name] if name.endswith(".py") else sorted((_PACKAGE / name).rglob("*.py")))]
    of_brokers = [_PACKAGE / name for name in _BROKERS]
    found = [path for path in found if path not in of_brokers] + (of_brokers if brokers else [])
    locks = (_LOCK, _BROKER_LOCK) if brokers else (_LOCK,)
    texts = [f"{path.relative_to(_PACKAGE)} {_without_docstrings(path.read_text(encoding='utf-8'))}" for path in found]
    return short_hash([*texts, *((_PACKAGE.parent / name).read_text(encoding="utf-8") for name in locks)])


def _without_docstrings(text: str) -> str:
    """The lines of a program but those of docstrings, whole-line comments and nothing: the same on every version of Python."""
    lines = dict(enumerate(text.splitlines(), 1))
    for node in ast.walk(parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node) is not None:
            for number in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1):
                del lines[number]
    return "\n".join(line for line in lines.values() if line.strip() and not line.lstrip().startswith("#"))


def key_of(request: Request) -> str:
    """A word for the code that replays, and one for what is replayed: the submission, the function, the filled-in fixture and limits."""
    fixture = replace(request.fixture, name="", says="", hidden=False)
    steps = [[type(step).__name__, asdict(step)] for step in fixture.steps]
    values = {name: request.parameters.get(name) for name in sorted({*request.function.parameters, "topic", "group"})}
    limits = [request.time_limit, asdict(request.limits)]
    function = asdict(replace(request.function, table=None))
    del function["table"]  # the judge alone looks at it
    fed = [fixture.drive.name, fixture.brokers, fixture.partitions, dict(fixture.schemas), steps, values, function, limits]
    digest = hashlib.sha256(json.dumps([request.source, fed]).encode()).hexdigest()[:32]
    return f"{code_hash(brokers=registry.engine(request.function.engine).needs_brokers)}-{digest}"


class Records(Generic[T]):
    """A file of what was observed, by key. Its first line names the code that it was recorded with: for other code there is nothing."""

    def __init__(self, path: Path, kind: TypeAdapter[T], code: str) -> None:
        self.path, self._kind = path, kind
        self._header = {"records": 1, "code": code}
        self._lines: dict[str, str] = {}
        self._lock = threading.Lock()
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        if lines and json.loads(lines[0]) == self._header:
            self._lines = {line.split('"', 2)[1]: line for line in lines[1:]}

    def get(self, key: str) -> T | None:
        """What was observed, if it was recorded."""
        line = self._lines.get(key)
        return None if line is None else self._kind.validate_python(json.loads(line)[1], strict=False)

    def keep(self, wanted: Callable[[str], bool]) -> None:
        """Forget what other keys have."""
        self._lines = {key: line for key, line in self._lines.items() if wanted(key)}

    def put(self, key: str, observed: T) -> bool:
        """Keep what was observed; says whether something else was there."""
        line = json.dumps([key, self._kind.dump_python(observed, exclude_defaults=True)])
        with self._lock:
            differs = self._lines.get(key, line) != line
            self._lines[key] = line
        return differs

    def take(self, other: Records[T]) -> list[str]:
        """Keep what another file has, too; the keys for which something else was there."""
        differing = [key for key, line in other._lines.items() if self._lines.get(key, line) != line]
        self._lines |= other._lines
        return differing

    def keys(self) -> set[str]:
        """Of what there is a record."""
        return set(self._lines)

    def write(self, keys: set[str] | None = None) -> None:
        """Write the file, one line a record, sorted: of all keys, or of these alone."""
        kept = [line for key, line in sorted(self._lines.items()) if keys is None or key in keys]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("\n".join([json.dumps(self._header), *kept]) + "\n", encoding="utf-8")


def observations(path: Path) -> Records[Observation]:
    """A file of replays' observations. Each key begins with the word for the code that it was recorded with."""
    records: Records[Observation] = Records(path, TypeAdapter(Observation), "by key")
    current = (code_hash(), code_hash(brokers=True))
    records.keep(lambda key: key.startswith(current))
    return records


def is_drawn(key: str, salt: str, one_in: int = _ONE_IN) -> bool:
    """Whether this key is of the part that is replayed although there is a record: another part for another salt, none without one."""
    return bool(salt) and int(hashlib.sha256(f"{salt} {key}".encode()).hexdigest(), 16) % one_in == 0


def is_kept(observed: Observation | GraderFaultError) -> TypeGuard[Observation]:
    """Whether another run, on another machine, would observe the same."""
    if not isinstance(observed, Observation) or (observed.failure and observed.failure.kind in _BY_LOAD):
        return False
    told = f"{observed.failure} {observed.printed}"
    return not any(folder in told for folder in (*paths.known_folders(), str(paths.scratch_root())))


class Recorded:
    """Answers from records, and has replayed what has none, what ``always`` names, and a part that changes with ``salt``.

    What is replayed is recorded. ``differing`` are the keys of what came out otherwise than its record, ``asked`` all keys.
    """

    def __init__(
        self, replays: Observer, records: Records[Observation], salt: str = "", always: Callable[[Request], bool] = lambda _: False
    ) -> None:
        self.replays, self.records, self.salt, self.always = replays, records, salt, always
        self.differing: list[str] = []
        self.asked: set[str] = set()
        self.replayed = 0

    @property
    def confined(self) -> bool:
        """Whether submissions are confined."""
        return self.replays.confined

    def observe(self, requests: Sequence[Request]) -> Iterator[Observed]:
        """The observation of each request, recorded or replayed."""
        rest: dict[int, str] = {}
        for request in requests:
            key = key_of(request)
            self.asked.add(key)
            found = None if self.always(request) or is_drawn(key, self.salt) else self.records.get(key)
            if found is None:
                rest[id(request)] = key
            else:
                yield request, found
        for request, observed in self.replays.observe([request for request in requests if id(request) in rest]):
            self.replayed += 1
            if is_kept(observed) and self.records.put(rest[id(request)], replace(observed, seconds=0.0)):
                self.differing.append(f"{request.function.name} on {request.fixture.name}: {rest[id(request)]}")
            yield request, observed
