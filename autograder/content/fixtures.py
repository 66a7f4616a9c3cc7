"""Read, validate, fill in and generate fixtures: JSON lines, one step a line."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from autograder import engines
from autograder.content.expressions import evaluate, instant
from autograder.content.files import read_text
from autograder.content.kafka_steps import KINDS, kafka_step
from autograder.content.manifest import first_refusal
from autograder.model import Add, Ask, Columns, Drive, Fixture, Flush, KitError, Restart, Row, Step, Value

#: Spark types that a fixture's columns may have, with what JSON must hold for them.
_TYPES: dict[str, tuple[type[Any], ...]] = {
    "STRING": (str,),
    "INT": (int,),
    "BIGINT": (int,),
    "DOUBLE": (int, float),
    "BOOLEAN": (bool,),
    "TIMESTAMP": (str,),
    "BINARY": (str,),  # its bytes in UTF-8; what is no UTF-8 stands there as a lone surrogate, "\udcff" for 0xff
}
#: The one column of a DStream whose elements are no tuples.
SCALAR = "value"
#: Where a record of a Kafka stream lies: no two records have the same place.
_PLACE = ("topic", "partition", "offset")
#: How far behind the start a flush stands, in microseconds.
FLUSH_AFTER = 1_000 * 86_400_000_000


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Header(_Strict):
    fixture: Literal[1]
    says: str = Field(min_length=3)
    drive: str
    brokers: Literal[1, 3] = 1
    partitions: int = Field(default=1, ge=1, le=8)
    sources: dict[str, str] = Field(default_factory=dict)
    start: str = "2024-03-04T10:00:00Z"


class _Time(_Strict):
    every: str
    late: str = "0"


class _Column(_Strict):
    """How a drawn column gets its values: one of ``choice``, of ``between`` (inclusive), words in a line, or a time."""

    choice: list[Any] | None = None
    between: list[int] | None = Field(default=None, min_length=2, max_length=2)
    words: list[str] | None = None
    time: _Time | None = None


class _Draw(_Strict):
    source: str
    seed: int
    steps: int = Field(ge=1, le=1000)
    rows: list[int] = Field(min_length=2, max_length=2)
    columns: dict[str, _Column]


class _Step(_Strict):
    """Exactly one of the fields is given."""

    add: dict[str, list[Any]] | None = None
    quiet: str | int | None = None
    restart: Literal[True] | None = None
    crash: Literal[True] | None = None
    flush: Literal[True] | None = None
    ask: list[Any] | None = None
    draw: _Draw | None = None


@dataclass(frozen=True)
class _Reader:
    """What a step needs to be filled in."""

    drive: Drive
    schemas: Mapping[str, Columns]
    parameters: Mapping[str, Value]
    start: int
    seed: int
    places: set[tuple[Value, ...]] = field(default_factory=set)

    def read(self, step: Any) -> Iterator[Step]:
        known = KINDS if self.drive.on_brokers else tuple(_Step.model_fields)
        if not isinstance(step, dict) or len(step) != 1 or not set(step) <= set(known):
            raise ValueError(f"a step is exactly one of {', '.join(known)}")
        if self.drive.on_brokers:
            ((kind, data),) = step.items()
            yield kafka_step(kind, data, self.parameters, self.start, self.seed)
            return
        yield from self.steps(_Step.model_validate(step))

    def steps(self, step: _Step) -> Iterator[Step]:
        match next(iter(step.model_fields_set)):
            case "add":
                yield Add({source: self.rows(source, rows) for source, rows in (step.add or {}).items()})
            case "quiet":
                for _ in range(evaluate(str(step.quiet), self.parameters)):
                    yield Add(dict.fromkeys(self.schemas, ()))
            case "restart" | "crash" as name:
                yield Restart(crash=name == "crash")
            case "flush":
                yield Flush({source: (self.flush_row(source),) for source in self.schemas})
            case "ask":
                yield Ask(tuple(step.ask or ()))
            case _:
                assert step.draw is not None  # the last of the fields
                yield from self.draw(step.draw)

    def columns(self, source: str) -> Columns:
        if source not in self.schemas:
            raise ValueError(f"{source!r} is no source of this fixture; it has: {', '.join(self.schemas)}")
        return self.schemas[source]

    def rows(self, source: str, rows: list[Any]) -> tuple[Row, ...]:
        columns = self.columns(source)
        return tuple(self.row(columns, row if isinstance(row, list) else [row]) for row in rows)

    def row(self, columns: Columns, cells: list[Any]) -> Row:
        if len(cells) != len(columns):
            raise ValueError(f"a row has {len(columns)} cells ({', '.join(name for name, _ in columns)}), not {len(cells)}")
        return {name: self.cell(name, kind, cell) for (name, kind), cell in zip(columns, cells, strict=True)}

    def cell(self, name: str, kind: str, cell: Any) -> Value:
        if cell is None:
            return None
        if not isinstance(cell, _TYPES[kind]) or (isinstance(cell, bool) and kind != "BOOLEAN"):
            raise ValueError(f"{cell!r} is no {kind} (column {name!r})")
        if kind == "TIMESTAMP":
            return self.time(str(cell))
        value: Value = cell
        return float(cell) if kind == "DOUBLE" else value

    def time(self, text: str) -> int:
        return evaluate(text, self.parameters, self.start) if "@" in text else instant(text)

    def flush_row(self, source: str) -> Row:
        later: dict[str, Value] = {"TIMESTAMP": self.start + FLUSH_AFTER, "STRING": "~flush", "BINARY": "~flush", "BOOLEAN": False}
        return {name: later.get(kind, 0) for name, kind in self.columns(source)}

    def draw(self, draw: _Draw) -> Iterator[Step]:
        columns = self.columns(draw.source)
        if {name for name, _ in columns} != set(draw.columns):
            raise ValueError(f"'draw' must say how to draw each of: {', '.join(name for name, _ in columns)}")
        chance = random.Random(draw.seed + self.seed)  # noqa: S311  # fixtures must be the same on every machine
        for index in range(draw.steps):
            count = chance.randint(*draw.rows)
            rows = ({name: self.drawn(chance, draw.columns[name], index) for name, _ in columns} for _ in range(count))
            yield Add({draw.source: tuple(placed(row, self.places) for row in rows)})

    def drawn(self, chance: random.Random, column: _Column, index: int) -> Value:
        if column.choice is not None:
            value: Value = chance.choice(column.choice)
            return value
        if column.between is not None:
            return chance.randint(*column.between)
        if column.words is not None:
            return " ".join(chance.choice(column.words) for _ in range(chance.randint(0, 4)))
        if column.time is None:
            raise ValueError("a drawn column has one of: choice, between, words, time")
        every, late = (evaluate(text, self.parameters) for text in (column.time.every, column.time.late))
        offset = chance.randint(-late // 1000, max(every, 1) // 1000) * 1000  # whole ms, as Spark's watermark has it
        return self.start + index * every + offset


def placed(row: Row, places: set[tuple[Value, ...]]) -> Row:
    """A drawn row at a place of its own, which is added to ``places``: a record of Kafka's whose place is taken gets the next free offset.

    Rows without a topic, a partition or an offset are what they are.
    """
    topic, partition, offset = (row.get(name) for name in _PLACE)
    if not isinstance(offset, int) or None in {topic, partition}:
        return row
    while (topic, partition, offset) in places:
        offset += 1
    places.add((topic, partition, offset))
    return {**row, "offset": offset}


def read_fixture(path: Path, parameters: Mapping[str, Value], seed: int = 0) -> Fixture:
    """A fixture with parameters filled in; ``seed`` is added to that of what it draws.

    Raises KitError with file and line for what it does not know.
    """
    lines = [(number, line) for number, line in enumerate(read_text(path).splitlines(), 1) if line.strip()]
    if len(lines) < 2:  # noqa: PLR2004  # a header and a step
        raise KitError(f"{path}:1: a fixture has a header line and at least one step.", "See CONTRIBUTING.md for an example.")
    number, first = lines[0]
    try:
        header = _Header.model_validate(json.loads(first))
        schemas = {source: schema_columns(ddl) for source, ddl in header.sources.items()}
        drive = _drive(header.drive)
        reader = _Reader(drive, schemas, parameters, instant(header.start), seed)
        steps: list[Step] = []
        for number, line in lines[1:]:  # noqa: B007  # told when the line is refused
            steps += reader.read(json.loads(line))
    except (ValueError, RecursionError) as error:
        raise KitError(f"{path}:{number}: {_reason(error)}", "See CONTRIBUTING.md for what may stand in a fixture.") from error
    return Fixture(path.stem, header.says, drive, schemas, tuple(steps), path.parent.name == "hidden", header.brokers, header.partitions)


def draws(path: Path) -> bool:
    """Whether a fixture draws rows, so that they differ from student to student."""
    return any(re.match(r'\s*\{\s*"(draw|draw_records)"\s*:', line) for line in read_text(path).splitlines())


def _drive(name: str) -> Drive:
    known = engines.drives()
    if name not in known:
        raise ValueError(f"drive: there is no drive {name!r}; there are: {', '.join(known)}")
    return known[name]


def schema_columns(ddl: str) -> Columns:
    """Names and types of ``"at TIMESTAMP, page STRING"``, or of a bare type for a DStream of single values. Raises ValueError."""
    columns = [tuple(part.split()) for part in ddl.split(",")]
    if columns and len(columns) == 1 and len(columns[0]) == 1:
        columns = [(SCALAR, columns[0][0])]
    for column in columns:
        if len(column) != 2 or column[1] not in _TYPES:  # noqa: PLR2004  # name and type
            raise ValueError(f"{ddl!r} is no schema; write 'name TYPE, …' with types {', '.join(_TYPES)}")
    return tuple((column[0], column[1]) for column in columns)


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return first_refusal(error)
    if isinstance(error, json.JSONDecodeError):
        return f"not valid JSON: {error}"
    return str(error) or "nested too deeply"
