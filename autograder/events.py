"""The steps of a fixture for Kafka: what may stand in them, filled in with parameters."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from autograder.model import Event, Value
from autograder.quantities import evaluate

#: The stations that drawn records are about, in this order.
STATIONS = ("Tromsø", "Bergen", "Åre", "Oslo", "Visby", "Göteborg", "Umeå", "Malmö", "Kiruna", "Lund", "Røros", "Ålesund")
Count = Annotated[int, Field(ge=0)]
Look = Literal[
    "topic", "keys", "values", "order", "times", "headers", "different", "handled", "at_least_once", "offsets", "ahead", "members"
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Topic(_Strict):
    name: str | None = None
    partitions: int = Field(ge=1, le=100)
    replication: int = Field(default=1, ge=1, le=3)
    settings: dict[str, str] = Field(default_factory=dict)


class _Record(_Strict):
    topic: str | None = None
    key: str | None = None
    value: str | None = None
    partition: Count | None = None
    at: Count = 0
    headers: dict[str, str] = Field(default_factory=dict)


class _Handle(_Strict):
    """What the handler does at its n-th record: raise, or end its process while handling or after it."""

    raises_at: Count = 0
    dies_while: Count = 0
    dies_after: Count = 0


class _Call(_Strict):
    name: str = "program"
    group: str | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)
    handle: _Handle = _Handle()
    readings: list[dict[str, Any]] = Field(default_factory=list)
    pause_at: Count | None = None
    kill_leader: bool = False


class _Delete(_Strict):
    partition: Count
    before: Count


class _Draw(_Strict):
    seed: int
    count: int = Field(ge=1, le=2000)
    keys: int = Field(ge=1, le=len(STATIONS))
    partitions: int = Field(ge=1, le=100)


class EventStep(_Strict):
    """The fields that a step for Kafka may have, one at a time."""

    topic: _Topic | None = None
    records: list[_Record] | None = None
    draw_records: _Draw | None = None
    call: _Call | None = None
    join: _Call | None = None
    leave: str | None = None
    kill: str | None = None
    until: Literal["handled"] | None = None
    passes: Literal["session timeout"] | None = None
    delete_records: _Delete | None = None
    stop_broker: Literal["leader", "follower"] | None = None
    kill_broker: Literal["leader", "follower"] | None = None
    start_broker: Literal["stopped"] | None = None
    look: list[Look] | None = None


def event(kind: str, data: Any, parameters: Mapping[str, Value], start: int, seed: int = 0) -> Event:
    """One step, validated; ``seed`` is added to that of what it draws.

    ``"=…"`` stands for a number, ``"@…"`` for a time. Raises ValueError for what does not fit.
    """
    filled = _fill(data, parameters, start)
    step = getattr(EventStep.model_validate({kind: filled}), kind)
    if isinstance(step, _Draw):
        return Event("records", _drawn(step, start // 1000, seed))
    if isinstance(step, BaseModel):
        return Event(kind, step.model_dump())
    return Event(kind, [item.model_dump() if isinstance(item, BaseModel) else item for item in step] if isinstance(step, list) else step)


def _fill(data: Any, parameters: Mapping[str, Value], start: int) -> Any:
    if isinstance(data, dict):
        return {name: _fill(value, parameters, start) for name, value in data.items()}
    if isinstance(data, list):
        return [_fill(value, parameters, start) for value in data]
    if isinstance(data, str) and data.startswith("="):
        return evaluate(data[1:], parameters)
    if isinstance(data, str) and data.startswith("@"):
        return evaluate(data, parameters, start) // 1000
    return data


def _drawn(draw: _Draw, start: int, seed: int) -> list[dict[str, Any]]:
    """Readings of stations, a second apart; each station's lie on one partition."""
    chance = random.Random(draw.seed + seed)  # noqa: S311  # fixtures must be the same on every machine
    found = []
    for index in range(draw.count):
        key = chance.randrange(draw.keys)
        value = f'{{"station": "{STATIONS[key]}", "celsius": {chance.randint(-30, 30)}, "number": {index}}}'
        record = _Record(key=STATIONS[key], value=value, partition=key % draw.partitions, at=start + 1000 * index)
        found.append(record.model_dump())
    return found
