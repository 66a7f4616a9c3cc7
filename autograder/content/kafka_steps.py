"""The steps of a fixture for Kafka: what may stand in a line, filled in with parameters, as the model has it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from annotated_types import Ge, Le, Len
from pydantic import TypeAdapter, ValidationError

from autograder.content.expressions import evaluate
from autograder.content.manifest import first_refusal
from autograder.model import (
    Call,
    DeleteRecords,
    Join,
    KafkaStep,
    Kill,
    KillBroker,
    Leave,
    MakeTopic,
    Observe,
    Passes,
    SendRecords,
    StartBroker,
    StopBroker,
    TopicRecord,
    Until,
    Value,
)
from autograder.wire import record


@record
class _Between:
    """A whole number, drawn from the first to the last of two."""

    between: Annotated[tuple[int, int], Len(2, 2)]


_Field: TypeAlias = Literal["key", "index"] | _Between


@record
class DrawRecords:
    """Records a second apart, whose values are objects with these fields; a key's records lie on one partition.

    ``first``: how many of the keys are drawn from, the first ones; all of them without it.
    """

    seed: int
    count: Annotated[int, Ge(1), Le(2000)]
    keys: Annotated[tuple[str, ...], Len(1, 1000)]
    value: Mapping[str, _Field]
    partitions: Annotated[int, Ge(1), Le(100)]
    first: Annotated[int, Ge(1)] | None = None


#: What may stand in a line, and the class that it becomes. Where a line has a single thing, its name in the class.
_KINDS: dict[str, tuple[type[Any], str | None]] = {
    "topic": (MakeTopic, None),
    "records": (SendRecords, "records"),
    "draw_records": (DrawRecords, None),
    "call": (Call, None),
    "join": (Join, None),
    "leave": (Leave, "name"),
    "kill": (Kill, "name"),
    "until": (Until, "what"),
    "passes": (Passes, "what"),
    "delete_records": (DeleteRecords, None),
    "stop_broker": (StopBroker, "which"),
    "kill_broker": (KillBroker, "which"),
    "start_broker": (StartBroker, "which"),
    "observe": (Observe, "what"),
}
_ADAPTERS: dict[type[Any], TypeAdapter[Any]] = {made: TypeAdapter(made) for made, _ in _KINDS.values()}
#: The names of all kinds of steps.
KINDS = tuple(_KINDS)


def kafka_step(kind: str, data: Any, parameters: Mapping[str, Value], start: int, seed: int = 0) -> KafkaStep:
    """One step, validated; ``seed`` is added to that of what it draws.

    ``"=…"`` stands for a number, ``"@…"`` for a time. Raises ValueError for what does not fit.
    """
    step = _validated(kind, _fill(data, parameters, start))
    if isinstance(step, DrawRecords):
        return SendRecords(tuple(_drawn(step, start // 1000, seed)))
    found: KafkaStep = step
    return found


def _validated(kind: str, data: Any) -> Any:
    made, name = _KINDS[kind]
    try:
        return _ADAPTERS[made].validate_json(json.dumps(data if name is None else {name: data}))
    except ValidationError as error:
        # The place as it stands in the fixture: the name in the class is none of the author's words.
        place, why = first_refusal(error, name or "").split(":", 1)
        inside = place.removeprefix(name) if name else place and f".{place}"
        raise ValueError(f"{kind}{inside}:{why}") from error


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


def _drawn(draw: DrawRecords, start: int, seed: int) -> Iterator[TopicRecord]:
    if draw.first is not None and draw.first > len(draw.keys):
        raise ValueError(f"first is {draw.first}, but there are {len(draw.keys)} keys")
    chance = random.Random(draw.seed + seed)  # noqa: S311  # fixtures must be the same on every machine
    for index in range(draw.count):
        number = chance.randrange(draw.first or len(draw.keys))
        key = draw.keys[number]
        value = {name: _value(field, chance, key, index) for name, field in draw.value.items()}
        yield TopicRecord(key=key, value=json.dumps(value, ensure_ascii=False), partition=number % draw.partitions, at=start + 1000 * index)


def _value(field: _Field, chance: random.Random, key: str, index: int) -> Value:
    if isinstance(field, _Between):
        return chance.randint(*field.between)
    return key if field == "key" else index
