"""What fixtures and right outputs hold, as the rules about claims look at it: rows by step, cells by column, what comes again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from autograder.model import Add, Ask, Call, Fixture, Join, Row, SendRecords, Step, StepOutput

#: Rows that arrive together, each with the source that it comes from.
Arrival: TypeAlias = list[tuple[str, Row]]


def arrivals(fixture: Fixture) -> list[Arrival]:
    """What each step brings; nothing for a step that brings no rows. A flush is no data: it ends a stream."""
    return [_arrival(step) for step in fixture.steps]


def _arrival(step: Step) -> Arrival:
    match step:
        case Add(rows=rows):
            return [(source, row) for source, some in rows.items() for row in some]
        case Ask(arguments=arguments):
            return [("arguments", {f"argument {number}": value for number, value in enumerate(arguments, 1)})]
        case SendRecords(records=records):
            return [("records", {"key": each.key, "value": each.value, "partition": each.partition}) for each in records]
        case Call(readings=readings) | Join(readings=readings):
            return [("readings", dict(reading)) for reading in readings]
    return []


def cells(fixture: Fixture) -> Iterator[Any]:
    """Every cell that arrives, and what programs on brokers are called with."""
    for arrival in arrivals(fixture):
        for _, row in arrival:
            yield from row.values()
    for program in programs(fixture):
        yield from program.parameters.values()


def programs(fixture: Fixture) -> list[Call | Join]:
    """The programs that run on brokers."""
    return [step for step in fixture.steps if isinstance(step, (Call, Join))]


def texts(fixture: Fixture) -> list[str]:
    """The cells that are text."""
    return [cell for cell in cells(fixture) if isinstance(cell, str)]


def numbers(values: Iterable[Any]) -> list[float]:
    """The numbers among cells, also those that are written as text."""
    found = []
    for value in values:
        if not isinstance(value, bool) and isinstance(value, (int, float, str)):
            try:
                found.append(float(value))
            except ValueError:
                continue
    return found


def by_column(fixtures: Iterable[Fixture]) -> dict[tuple[str, str], set[str]]:
    """The different cells of each source's columns, as text, over all that arrives."""
    found: dict[tuple[str, str], set[str]] = {}
    for fixture in fixtures:
        for arrival in arrivals(fixture):
            for source, row in arrival:
                for name, cell in row.items():
                    found.setdefault((source, name), set()).add(repr(cell))
    return found


def times(fixture: Fixture, column: str) -> list[list[int]]:
    """The event times in a column of each step that brings some, in microseconds."""
    kinds = {(source, name): kind for source, columns in fixture.schemas.items() for name, kind in columns}
    found = [
        [row[column] for source, row in arrival if kinds.get((source, column)) == "TIMESTAMP" and row.get(column) is not None]
        for arrival in arrivals(fixture)
    ]
    return [each for each in found if each]


def time_columns(fixture: Fixture) -> list[str]:
    """The columns that hold times."""
    return [name for columns in fixture.schemas.values() for name, kind in columns if kind == "TIMESTAMP"]


def longest_leap(steps: Sequence[Sequence[int]]) -> int:
    """How far a step's latest time is ahead of all times before it, in the step where that is most; 0 where there is none."""
    leaps, latest = [0], None
    for each in steps:
        if latest is not None:
            leaps.append(max(each) - latest)
        latest = max(each) if latest is None else max(latest, *each)
    return max(leaps)


def has_late_row(fixture: Fixture) -> bool:
    """Whether a row's time is behind one of an earlier step."""
    for column in time_columns(fixture):
        steps = times(fixture, column)
        if any(min(later) < max(max(each) for each in steps[:number]) for number, later in enumerate(steps) if number):
            return True
    return False


def words_by_step(fixture: Fixture) -> list[set[str]]:
    """The words of each step's texts, in lower case."""
    return [
        {word for _, row in arrival for cell in row.values() if isinstance(cell, str) for word in cell.lower().split()}
        for arrival in arrivals(fixture)
    ]


def some_come_again(fixture: Fixture) -> bool:
    """Whether a word of a step stands in a later one too."""
    seen = set[str]()
    for words in words_by_step(fixture):
        if words & seen:
            return True
        seen |= words
    return False


def has_equal_rows(fixture: Fixture) -> bool:
    """Whether a row comes twice."""
    found = [repr(pair) for arrival in arrivals(fixture) for pair in arrival]
    return len(set(found)) < len(found)


def some_leave(outputs: Sequence[StepOutput]) -> bool:
    """Whether something that is in an output is missing in a later one; steps without an output do not count.

    Of a row the texts are looked at, for its numbers change while it stays; of a row without texts the numbers are.
    """
    seen = set[tuple[Any, ...]]()
    for output in outputs:
        if output.batches:
            now = {_name(row) for row in output.rows}
            if seen - now:
                return True
            seen |= now
    return False


def _name(row: Row) -> tuple[Any, ...]:
    return tuple(cell for cell in row.values() if isinstance(cell, str)) or tuple(row.values())
