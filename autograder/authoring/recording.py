"""Rows of a live stream to the text of a fixture. Pure: ``streams`` reads, ``commands`` writes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from autograder.authoring.columns import Cells, Plan, check, columns_of, ddl, misfit, renamed, row_of, single, time_column
from autograder.authoring.streams import Entry
from autograder.content.expressions import duration, iso
from autograder.content.fixtures import FLUSH_AFTER
from autograder.model import Columns, KitError

#: More batches than this are no fixture to be replayed for every submission.
_MOST_BATCHES = 1000
#: What ends a line for str.splitlines, with which fixtures are read, and is no control character for JSON.
_LINE_ENDS = re.compile("[\x85\u2028\u2029]")


@dataclass(frozen=True)
class Recorded:
    """A fixture's text and what is in it. Times in microseconds since the epoch; ``behind`` is how late the latest event was."""

    text: str
    schema: str
    rows: int
    batches: int
    first: int | None = None
    last: int | None = None
    behind: int = 0


def summary(found: Recorded) -> list[str]:
    """What was recorded, for the eye."""
    lines = [f"{found.rows} rows in {found.batches} batches: {found.schema}"]
    if found.first is not None and found.last is not None:
        lines.append(f"Event times from {iso(found.first)} to {iso(found.last)}.")
        late = f"The latest event comes {length(found.behind)} behind the largest event time before it: a longer delay drops nothing."
        lines.append(late if found.behind else "No event is late.")
    return lines


def record(entries: Sequence[Entry], plan: Plan) -> Recorded:
    """The fixture of these rows. Raises KitError with the row's place when one does not fit."""
    check(plan)
    entries = [renamed(entry, plan) for entry in entries]
    columns = columns_of(entries, plan)
    event_time = time_column(columns, plan, plan.event_time, "--event-time")
    rows = [row_of(entry, columns, plan) for entry in entries]
    times = [row[event_time] for row in rows if event_time and row[event_time] is not None]
    batches = _batches(entries, rows, columns, plan)
    start = min(times, default=None)
    _check_start(plan, start, max(times, default=0))
    lines = [_header(plan, columns, start), *_steps(batches, columns, plan, start)]
    return _recorded(lines, ddl(columns, plan), batches, times)


def record_topic(entries: Sequence[Entry], plan: Plan) -> Recorded:
    """The fixture of a Kafka topic's records as they are, for functions that work on brokers, with a call at its end.

    Raises KitError for a record that is no text.
    """
    check(plan)
    if plan.flush:
        raise KitError("--flush: a fixture of records has no far-future row.", "Leave it out.")
    records = [_topic_record(entry) for entry in entries]
    times = [found["at"] for found in records if "at" in found]
    start = min(times, default=None)
    dated = [found | ({"at": moment(found["at"], start)} if "at" in found else {}) for found in records]
    batches = _batches(entries, dated, (), plan)
    header = {"fixture": 1, "says": plan.says, "drive": plan.drive.name, **({} if start is None else {"start": iso(start)})}
    steps = [{"records": batch} for batch in batches]
    lines: list[Cells] = [header, {"topic": {"partitions": entries[0].partitions}}, *steps, {"call": {}}]
    return _recorded(lines, "key, value, partition, at", batches, times)


def _topic_record(entry: Entry) -> Cells:
    found = {name: entry.more.get(name) for name in ("key", "value", "partition")}
    if any(isinstance(text, str) and text.startswith(("@", "=")) for text in found.values()):
        raise misfit(entry, "key or value begins with @ or =, which stands for a time or a number in a fixture")
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise misfit(entry, "key or value is no text in UTF-8") from error
    return found if entry.arrived is None else {**found, "at": entry.arrived}


def _recorded(lines: Sequence[Cells], schema: str, batches: Sequence[Sequence[Cells]], times: Sequence[int]) -> Recorded:
    text = "".join(_line(line) for line in lines)
    first, last = min(times, default=None), max(times, default=None)
    return Recorded(text, schema, sum(map(len, batches)), len(batches), first, last, _behind(times))


def _check_start(plan: Plan, start: int | None, last: int) -> None:
    """What counts from the first event time needs one, and a flush must stand behind the last."""
    option = "--flush" if plan.flush else "--relative"
    if (plan.flush or plan.relative) and start is None:
        raise KitError(f"{option}: no column has the event time.", "Name it with --event-time.")
    if plan.flush and (plan.drive.empty_batches or last - (start or 0) >= FLUSH_AFTER):
        raise KitError("--flush: a far-future row is for event times that span less than 1000 days.", "Leave it out.")


def _batches(entries: Sequence[Entry], rows: Sequence[Cells], columns: Columns, plan: Plan) -> list[list[Cells]]:
    """The rows that arrive together; empty ones too where ``every`` goes by without a row and a DStream has a batch all the same."""
    if plan.every is None:
        _bound(-(-len(rows) // plan.batch), "--batch", "Let more rows arrive together")
        return [list(rows[index : index + plan.batch]) for index in range(0, len(rows), plan.batch)]
    numbers = _intervals(_arrivals(entries, columns, rows, plan), duration(plan.every))
    found = {number: [row for _, row in group] for number, group in groupby(zip(numbers, rows, strict=True), key=lambda pair: pair[0])}
    count = numbers[-1] + 1 if plan.drive.empty_batches else len(found)
    _bound(count, "--every", "Take a longer time")
    return [found.get(number, []) for number in range(count)] if plan.drive.empty_batches else list(found.values())


def _bound(batches: int, option: str, instead: str) -> None:
    if batches > _MOST_BATCHES:
        raise KitError(f"{option} makes {batches} batches, more than {_MOST_BATCHES}.", f"{instead}, or record fewer --rows.")


def _intervals(arrivals: Sequence[int], every: int) -> list[int]:
    """The interval in which each row arrives; a row never arrives before the one in front of it."""
    numbers, latest = list[int](), 0
    for at in arrivals:
        latest = max(latest, (at - arrivals[0]) // every)
        numbers.append(latest)
    return numbers


def _arrivals(entries: Sequence[Entry], columns: Columns, rows: Sequence[Cells], plan: Plan) -> list[int]:
    """When each row arrived: by the column of that name, by what the broker wrote, or by the event time."""
    arrived = [entry.arrived for entry in entries if entry.arrived is not None]
    if plan.arrival is None and len(arrived) == len(entries):
        return arrived
    if plan.arrival is not None and plan.arrival not in dict(columns):
        columns = (*columns, (plan.arrival, "TIMESTAMP"))
        rows = [row_of(entry, columns[-1:], plan) for entry in entries]
    name = time_column(columns, plan, plan.arrival or plan.event_time, "--arrival")
    if name is None:
        raise KitError("--every needs to know when a row arrived.", "Name the column that says so with --arrival, or use --batch.")
    for entry, row in zip(entries, rows, strict=True):
        if row[name] is None:
            raise misfit(entry, f"column {name!r} does not say when the row arrived")
    return [row[name] for row in rows]


def _behind(times: Sequence[int]) -> int:
    """How far an event time stood behind the largest before it, at most: a watermark that waits so long drops nothing."""
    largest, found = times[0] if times else 0, 0
    for at in times:
        largest = max(largest, at)
        found = max(found, largest - at)
    return found


def _header(plan: Plan, columns: Columns, start: int | None) -> dict[str, Any]:
    header = {"fixture": 1, "says": plan.says, "drive": plan.drive.name, "sources": {plan.source: ddl(columns, plan)}}
    return header if start is None else {**header, "start": iso(start)}


def _steps(batches: Sequence[list[Cells]], columns: Columns, plan: Plan, start: int | None) -> list[dict[str, Any]]:
    steps = list[dict[str, Any]]()
    for empty, group in groupby(batches, key=lambda batch: not batch):
        found = list(group)
        steps += [{"quiet": len(found)}] if empty else [{"add": {plan.source: _written(rows, columns, plan, start)}} for rows in found]
    return [*steps, {"flush": True}] if plan.flush else steps


def _written(rows: Sequence[Cells], columns: Columns, plan: Plan, start: int | None) -> list[Any]:
    base = start if plan.relative else None
    found = [[moment(row[name], base) if kind == "TIMESTAMP" else row[name] for name, kind in columns] for row in rows]
    return [cells[0] for cells in found] if single(columns, plan) else found


def moment(at: int | None, base: int | None) -> str | None:
    """A time as a fixture has it: ISO 8601, or an expression where there is a time to count from."""
    if at is None:
        return None
    if base is None:
        return iso(at)
    return "@" if at == base else f"@ {'+' if at > base else '-'} {length(abs(at - base))}"


def length(microseconds: int) -> str:
    """A length of time in the largest unit in which it is a whole number: ``90 s``."""
    units = {"days": 86_400_000_000, "h": 3_600_000_000, "min": 60_000_000, "s": 1_000_000, "ms": 1_000, "us": 1}
    return next(f"{microseconds // size} {unit}" for unit, size in units.items() if microseconds % size == 0)


def _line(data: dict[str, Any]) -> str:
    """JSON on a line; bytes that are no UTF-8 stand there as escapes."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace").decode()
    return _LINE_ENDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"
