"""Fields of a live stream as cells of a fixture: which columns there are, of what type, and what fits them. Pure."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from typing import Any, Literal
from zoneinfo import ZoneInfo

from autograder import engines
from autograder.authoring.streams import Entry
from autograder.content.expressions import duration, instant, iso
from autograder.content.fixtures import SCALAR, schema_columns
from autograder.model import Columns, Drive, KitError

Unit = Literal["s", "ms", "us"]
#: A row: what stands in each column, times as microseconds since the epoch.
Cells = dict[str, Any]
_UNITS = {"s": 1_000_000, "ms": 1_000, "us": 1}
_WHOLE = re.compile(r"[+-]?\d{1,19}")
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
#: A code, not a number: 007.
_CODE = re.compile(r"[+-]?0\d.*")
_RANGES = {"INT": 2**31, "BIGINT": 2**63}


@dataclass(frozen=True)
class Plan:
    """How rows become a fixture.

    ``drive_name`` is what ``--drive`` says, ``drive`` what comes of it. ``schema`` is None where it is to be inferred. ``batch`` rows
    arrive together, or what comes within ``every`` (a duration, of the column ``arrival``). ``unit`` is what numbers count since the epoch
    where a time is meant, and ``zone`` the time zone of times that have none.
    """

    source: str
    says: str
    drive: Drive = field(default_factory=lambda: usual_drive())  # noqa: PLW0108  # it is defined below
    drive_name: str | None = None
    schema: Columns | None = None
    event_time: str | None = None
    arrival: str | None = None
    batch: int = 10
    every: str | None = None
    rename: Mapping[str, str] = field(default_factory=dict)
    unit: Unit = "ms"
    zone: str | None = None
    relative: bool = False
    flush: bool = False
    nulls: bool = False


def usual_drive() -> Drive:
    """How a fixture is replayed when nobody says it."""
    return next(iter(engines.drives().values()))


def schema_of(text: str | None) -> Columns | None:
    """What ``--schema`` asks for. Raises KitError when it is no schema, or names a column twice."""
    if text is None:
        return None
    try:
        columns = schema_columns(text)
        if len({name for name, _ in columns}) < len(columns):
            raise ValueError(f"{text!r} names a column twice")
    except ValueError as error:
        raise KitError(f"--schema: {error}", "For example: --schema 'at TIMESTAMP, page STRING', or STRING for single values.") from error
    return columns


def check(plan: Plan) -> None:
    """Raise KitError when the plan's zone or duration is none."""
    try:
        if plan.zone is not None:
            _zone(plan.zone)
    except (ValueError, LookupError, OSError) as error:
        raise KitError(f"--zone {plan.zone}: there is no such time zone.", "For example: --zone Europe/Stockholm.") from error
    try:
        good = plan.every is None or duration(plan.every) > 0
    except ValueError:
        good = False
    if not good:
        raise KitError(f"--every {plan.every!r} is no time that passes.", "For example: --every '5 seconds'.")


def _zone(name: str) -> tzinfo:
    return UTC if name in {"UTC", "Z"} else ZoneInfo(name)


def renamed(entry: Entry, plan: Plan) -> Entry:
    """The entry with its fields renamed. Raises KitError when there is no such field, or one of the new name."""

    def new(fields: Mapping[str, Any]) -> dict[str, Any]:
        return {plan.rename.get(name, name): value for name, value in fields.items()}

    for name in plan.rename:
        if not entry.has(name) and not plan.nulls:
            raise misfit(entry, f"there is no field {name!r} to rename")
    taken = set(entry.fields) - set(plan.rename)
    if taken & set(plan.rename.values()):
        raise misfit(entry, f"there is a field {min(taken & set(plan.rename.values()))!r} already")
    return replace(entry, fields=new(entry.fields), more=new(entry.more))


def columns_of(entries: Sequence[Entry], plan: Plan) -> Columns:
    """The columns that are asked for, or those that all rows suggest. Raises KitError when they make no schema."""
    try:
        return plan.schema or _inferred(entries, plan)
    except ValueError as error:
        raise KitError(f"--schema: {error}", "For example: --schema 'at TIMESTAMP, page STRING', or STRING for single values.") from error


def _inferred(entries: Sequence[Entry], plan: Plan) -> Columns:
    """The fields of all rows, each with the type that holds for all its values."""
    names = dict.fromkeys(name for entry in entries for name in entry.fields)
    wanted = {plan.event_time, plan.arrival, *plan.rename.values()}
    names |= dict.fromkeys(name for entry in entries for name in entry.more if name in wanted)
    for name in names:
        if not re.fullmatch(r"\w+", name):
            raise ValueError(f"the field {name!r} can be no column's name; --rename it, or name the columns that you want")
    return tuple((name, _type(name, entries, plan)) for name in names)


def _type(name: str, entries: Sequence[Entry], plan: Plan) -> str:
    values = [(value, entry.typed) for entry in entries if (value := entry.get(name)) is not None]
    kinds = ("TIMESTAMP",) if name in {plan.event_time, plan.arrival} else ("BOOLEAN", "BIGINT", "DOUBLE", "TIMESTAMP")
    for kind in kinds if values else ():
        if len(kinds) == 1 or all(_is(value, kind, plan, typed) for value, typed in values):
            return kind
    for value, _ in values:
        if not isinstance(value, str):
            raise ValueError(f"the field {name!r} has values of several types, or {json.dumps(value)[:60]}; leave it out")
    return "STRING"


def _is(value: Any, kind: str, plan: Plan, typed: bool) -> bool:
    if (kind == "TIMESTAMP" and not (isinstance(value, str) and ":" in value)) or (isinstance(value, str) and _CODE.fullmatch(value)):
        return False
    try:
        _cell(value, kind, plan, typed)
    except (ValueError, OverflowError):
        return False
    return True


def time_column(columns: Columns, plan: Plan, name: str | None, option: str) -> str | None:
    """The column of that name, which must be a time; without one the only time that there is."""
    times = [column for column, kind in columns if kind == "TIMESTAMP"]
    if name is None:
        return times[0] if len(times) == 1 else None
    if name not in times:
        raise KitError(
            f"{option}: {name!r} is no column of type TIMESTAMP of {ddl(columns, plan)!r}.", f"Such are: {', '.join(times) or 'none'}."
        )
    return name


def row_of(entry: Entry, columns: Columns, plan: Plan) -> Cells:
    """The entry's cells. Raises KitError with its place when it does not fit the columns."""
    row = {}
    for name, kind in columns:
        if not entry.has(name) and not plan.nulls:
            raise misfit(entry, f"there is no field {name!r}; there are: {', '.join(entry.fields)}")
        try:
            row[name] = _cell(entry.get(name), kind, plan, entry.typed)
        except (ValueError, OverflowError) as error:
            raise misfit(entry, f"column {name!r}: {error}") from error
    return row


def misfit(entry: Entry, problem: str) -> KitError:
    """What is wrong with an entry, and where it stands."""
    return KitError(
        f"{entry.where}: {' '.join(problem.split())}",
        "Nothing was written. Name columns and types with --schema, --rename FIELD=NAME, or take --nulls for missing fields.",
    )


def _cell(value: Any, kind: str, plan: Plan, typed: bool) -> Any:
    """A value as a fixture has it; a time as microseconds. Raises ValueError when it is of another type."""
    if value is None:
        return None
    if kind == "TIMESTAMP":
        return _time(value, plan)
    if not typed and isinstance(value, str) and kind not in {"STRING", "BINARY"}:
        value = _from_text(value, kind)
    good: dict[str, Any] = {"STRING": str, "BINARY": str, "BOOLEAN": bool, "DOUBLE": (int, float)}
    if not isinstance(value, good.get(kind, int)) or (isinstance(value, bool) and kind != "BOOLEAN"):
        raise ValueError(f"{json.dumps(value, ensure_ascii=False)[:60]} is no {kind}")
    if kind == "STRING":
        value.encode()  # a lone surrogate is a ValueError
    if kind in _RANGES and not -_RANGES[kind] <= value < _RANGES[kind]:
        raise ValueError(f"{value} is too large for {kind}")
    if kind == "DOUBLE" and not math.isfinite(float(value)):
        raise ValueError(f"{value} is not finite")
    return value


def _from_text(text: str, kind: str) -> Any:
    text = text.strip()
    if kind == "BOOLEAN" and text.lower() in {"true", "false"}:
        return text.lower() == "true"
    if kind == "DOUBLE" and _DECIMAL.fullmatch(text):
        return float(text)
    return int(text) if kind in _RANGES and _WHOLE.fullmatch(text) else text


def _time(value: Any, plan: Plan) -> int:
    if isinstance(value, str) and not _DECIMAL.fullmatch(value.strip()):
        moment = datetime.fromisoformat(value.strip())
        if moment.tzinfo is None and plan.zone is None:
            raise ValueError(f"{value!r} has no time zone; name it: --zone UTC")
        return instant((moment if moment.tzinfo else moment.replace(tzinfo=_zone(plan.zone or "UTC"))).isoformat())
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(f"{json.dumps(value)[:60]} is no TIMESTAMP")
    count = float(value) * _UNITS[plan.unit]
    found = int(value) * _UNITS[plan.unit] if str(value).strip().lstrip("+-").isdigit() else round(count)
    iso(found)  # a year that no calendar has is an OverflowError
    return found


def ddl(columns: Columns, plan: Plan) -> str:
    """The columns as a fixture's header has them."""
    return columns[0][1] if single(columns, plan) else ", ".join(f"{name} {kind}" for name, kind in columns)


def single(columns: Columns, plan: Plan) -> bool:
    """Whether the elements of a DStream are single values."""
    return plan.drive.empty_batches and [name for name, _ in columns] == [SCALAR]
