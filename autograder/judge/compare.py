"""Find the first step at which a replay is not what the oracle expects."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from autograder import engines
from autograder.model import Compare, Difference, Function, Observation, Row, StepOutput, Table


def compare(function: Function, aspect: Compare, expected: Sequence[StepOutput], observation: Observation) -> Difference | None:
    """The first difference in the aspect that a check looks at, or None.

    Raises ValueError when nothing would be compared: a pass must not be vacuous.
    """
    if len(expected) != len(observation.steps):
        raise ValueError(f"{len(expected)} steps were expected and {len(observation.steps)} observed")
    if not expected:
        raise ValueError("there is no step to compare")
    if aspect == "runs":
        return _columns(function, observation)
    if aspect == "times":
        return _times(function, expected, observation.steps)
    told = _columns(function, observation) or (function.table and _table(function.table, observation))
    return told or _rows(function, aspect, expected, observation.steps)


def _columns(function: Function, observation: Observation) -> Difference | None:
    names = [name for name, _ in observation.columns]
    if not names or (set(names) == set(function.columns) and len(names) == len(function.columns)):
        return _types(function, observation)
    missing = ", ".join(name for name in function.columns if name not in names)
    extra = ", ".join(name for name in names if name not in function.columns)
    parts = [f"missing: {missing}" * bool(missing), f"not asked for: {extra}" * bool(extra)]
    text = "; ".join(filter(None, parts)) or "a column stands there twice"
    wanted = ", ".join(f"{name} {kind}" for name, kind in function.columns.items())
    return Difference(0, "columns", text=f"{text} (wanted: {wanted}; yours: {', '.join(_column(*each) for each in observation.columns)})")


def _column(name: str, kind: str) -> str:
    """A column of a submission with its type; SQLite tells none, and that of a struct is long."""
    shown = kind.upper() if kind.replace("_", "").isalnum() else kind.split("<", maxsplit=1)[0].upper()
    return f"{name} {shown}".strip()


def _table(table: Table, observation: Observation) -> Difference | None:
    """The store's table is another one, or has another key. Its name stands where a column has its type, ``key`` behind a key's."""
    kinds = dict(observation.columns)
    names = sorted({kind.removesuffix(" key") for kind in kinds.values()})
    keys = [name for name, kind in kinds.items() if kind.endswith(" key")]
    if kinds and names != [table.name]:
        return Difference(0, "table", text=f"it is called {', '.join(names)}, not {table.name}")
    if kinds and set(keys) != set(table.key):
        return Difference(0, "table", text=f"its primary key is {', '.join(keys) or 'missing'}; {', '.join(table.key)} is asked")
    return None


def _types(function: Function, observation: Observation) -> Difference | None:
    """Columns of another kind than is asked: a number is a number, and a text that looks like a time is a text."""
    pairs = [(name, kind, function.columns[name]) for name, kind in observation.columns]
    wrong = [
        f"{name} is {kind.upper()} where {asked} is asked" for name, kind, asked in pairs if _kind(kind) and _kind(kind) != _kind(asked)
    ]
    return Difference(0, "types", text="; ".join(wrong)) if wrong else None


#: Spark's simple types by kind; what is not here is compared by its values alone.
_KINDS = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint", "float", "double"), "number"),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), "time"),
    "string": "text",
    "boolean": "truth",
}


def _kind(name: str) -> str:
    return "number" if name.startswith("decimal") else _KINDS.get(name.lower(), "")


def _times(function: Function, expected: Sequence[StepOutput], got: Sequence[StepOutput]) -> Difference | None:
    for index, (want, have) in enumerate(zip(expected, got, strict=True)):
        if _has_output(function, want) != _has_output(function, have):
            return _output(function, index, want, have)
    return None


def _has_output(function: Function, step: StepOutput) -> bool:
    return bool(step.batches) if engines.engine(function.engine).tells_silence else bool(step.rows)


def _output(function: Function, index: int, want: StepOutput, have: StepOutput) -> Difference:
    return Difference(
        index,
        "output",
        expected=want.rows if _has_output(function, want) else None,
        got=have.rows if _has_output(function, have) else None,
    )


def _rows(function: Function, aspect: Compare, expected: Sequence[StepOutput], got: Sequence[StepOutput]) -> Difference | None:
    for index, (want, have) in enumerate(zip(expected, got, strict=True)):
        if engines.engine(function.engine).tells_silence and bool(want.batches) != bool(have.batches):
            return _output(function, index, want, have)
        if not any(same_rows(rows, have.rows, function.ordered) for rows in (want.rows, *want.also)):
            missing, unexpected = _minus(want.rows, have.rows), _minus(have.rows, want.rows)
            return Difference(index, "rows", missing, unexpected, want.rows, have.rows)
        if aspect == "state" and (have.state or 0) > (want.state or 0):
            text = f"{have.state} rows are kept in state, where {want.state} are enough"
            return Difference(index, "state", expected=want.rows, got=have.rows, text=text)
    return None


def same_rows(want: Sequence[Row], have: Sequence[Row], ordered: bool) -> bool:
    """Whether two outputs are equal: as multisets, or in order."""
    if ordered:
        return [key(row) for row in want] == [key(row) for row in have]
    return Counter(map(key, want)) == Counter(map(key, have))


def same_steps(function: Function, want: Sequence[StepOutput], have: Sequence[StepOutput]) -> bool:
    """Whether two replays emit the same rows at every step."""
    return len(want) == len(have) and _rows(function, "rows", want, have) is None


def key(row: Row) -> str:
    """A row as a comparable text: column order does not count, 2 equals 2.0, floats to nine digits."""
    return json.dumps({name: _canonical(value) for name, value in row.items()}, sort_keys=True, ensure_ascii=False)


def _canonical(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() else float(f"{value:.9g}")
    if isinstance(value, dict):
        return {name: _canonical(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_canonical(inner) for inner in value]
    return value


def _minus(left: Sequence[Row], right: Sequence[Row]) -> tuple[Row, ...]:
    rest = Counter(map(key, right))
    kept: list[Row] = []
    for row in left:
        if rest[key(row)] > 0:
            rest[key(row)] -= 1
        else:
            kept.append(row)
    return tuple(kept)
