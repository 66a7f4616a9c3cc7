"""What is fed to a stream, step by step, and one replay of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from autograder.model.assignment import Function
from autograder.model.kafka import KafkaStep
from autograder.wire import Add, Ask, Limits, Restart, Row, Value

#: Names and Spark types of a source's columns.
Columns: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Flush:
    """A far-future row on keys of its own, so that append mode emits its last windows."""

    rows: Mapping[str, tuple[Row, ...]]


Step: TypeAlias = Add | Restart | Flush | Ask | KafkaStep


@dataclass(frozen=True)
class Drive:
    """A way to feed a fixture's steps to an engine.

    Without ``no_data_batches`` no batch runs between steps. With ``empty_batches`` each step is one batch, also when it has no rows.
    ``on_brokers``: steps say what happens to topics and programs, not which rows arrive.
    """

    name: str
    no_data_batches: bool = True
    empty_batches: bool = False
    on_brokers: bool = False


@dataclass(frozen=True)
class Fixture:
    """What is fed to a stream, with parameters filled in. ``drive`` is one of its engine's, ``brokers`` how many Kafka needs.

    Rows that arrive together lie on so many ``partitions``, and so do those that a query shuffles.
    """

    name: str
    says: str
    drive: Drive
    schemas: Mapping[str, Columns]
    steps: tuple[Step, ...]
    hidden: bool
    brokers: int = 1
    partitions: int = 1


@dataclass(frozen=True)
class Request:
    """One replay to do: a function of a submission's text, on a fixture, with parameters. ``time_limit`` in seconds."""

    source: str
    function: Function
    fixture: Fixture
    parameters: Mapping[str, Value]
    time_limit: int
    limits: Limits = field(default_factory=Limits)
