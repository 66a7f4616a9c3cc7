"""Lay a difference out for the reader: the step list with an arrow, what was expected and what it got."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autograder.content.expressions import iso
from autograder.judge import kafka_facts
from autograder.judge.advice import call
from autograder.judge.kafka_records import count
from autograder.judge.kafka_steps import kafka_step_text
from autograder.model import Add, Ask, Columns, Difference, Evidence, Failure, Fixture, Flush, Function, Restart, Row, Step

_MOST_ROWS = 8
_MOST_STEPS = 12
#: Rows that a report carries of one output, and characters of one row.
_MOST_KEPT, _LONGEST = 500, 2000
#: Characters of two answers that a sentence holds.
_SHORT = 200


def of_difference(function: Function, fixture: Fixture, difference: Difference) -> Evidence:
    """Evidence for the first step that differs."""
    return Evidence(
        fixture=fixture.name,
        says=fixture.says,
        steps=step_list(fixture),
        at=difference.step if difference.aspect not in _OF_COLUMNS else None,
        expected=_output(function, difference.expected),
        got=_output(function, difference.got),
        missing=_texts(function, difference.missing),
        unexpected=_texts(function, difference.unexpected),
    )


def of_failure(fixture: Fixture, failure: Failure) -> Evidence:
    """Evidence for a replay that did not come to its end: where it stood."""
    return Evidence(fixture.name, fixture.says, step_list(fixture), failure.step, (), ())


def sentence(difference: Difference, function: Function | None = None, fixture: Fixture | None = None) -> str:
    """What is different, in one sentence. Of a plain ``function`` the call, where the ``fixture`` is given."""
    if difference.aspect in _OF_COLUMNS:
        return f"{_OF_COLUMNS[difference.aspect]}: {difference.text}."
    step = fixture.steps[difference.step] if fixture else None
    what = _returned(function, step, difference) if function and isinstance(step, Ask) else _differs(difference)
    return f"Step {difference.step + 1}: {what}."


#: Differences of the whole result, which have no step.
_OF_COLUMNS = {
    "columns": "The result has other columns",
    "types": "A column of the result has another type",
    "table": "The store has another table",
}


def _differs(difference: Difference) -> str:
    if difference.aspect == "state":
        return difference.text
    if difference.aspect == "output":
        none = difference.expected is None
        return f"it got {'output where none' if none else 'no output where some'} was expected"
    missing, unexpected = len(difference.missing), len(difference.unexpected)
    parts = [f"{count(missing, 'row')} missing"] * bool(missing) + [f"{count(unexpected, 'row')} not expected"] * bool(unexpected)
    return kafka_facts.told(difference.missing, difference.unexpected) or " and ".join(parts) or "the right rows are in another order"


def _returned(function: Function, step: Ask, difference: Difference) -> str:
    """A plain function's answer and the right one; where they are long the evidence alone has them."""
    got, want = (", ".join(_output(function, rows)) for rows in (difference.got, difference.expected))
    return f"{call(function, step)} returned {f'{got}, not {want}' if len(got) + len(want) <= _SHORT else 'something else'}"


def step_list(fixture: Fixture) -> tuple[str, ...]:
    """Every step in a line, as the reader sees the stream."""
    return tuple(f"{index}  {step_text(step, fixture.schemas)}" for index, step in enumerate(fixture.steps, 1))


def step_text(step: Step, schemas: Mapping[str, Columns]) -> str:
    """One step in words."""
    match step:
        case Restart(crash=crash):
            return "crash before the last batch was committed, then restart" if crash else "stop and restart from the checkpoint"
        case Ask(arguments=arguments):
            return f"ask {', '.join(map(repr, arguments))}"
        case Flush():
            return "flush: a far-future row"
        case Add(rows=rows):
            return "; ".join(_source_text(name, found, schemas[name], len(rows) > 1) for name, found in rows.items())
        case _:
            return kafka_step_text(step)


def _source_text(name: str, rows: Sequence[Row], columns: Columns, named: bool) -> str:
    kinds = dict(columns)
    text = ", ".join(cut([row_text(row, kinds) for row in rows], _MOST_ROWS)) or "(no rows)"
    return f"{name}: {text}" if named else text


def _output(function: Function, rows: Sequence[Row] | None) -> tuple[str, ...]:
    if rows is None:
        return ("(no output)",)
    return _texts(function, rows, in_order=function.ordered) or ("(no rows)",)


def _texts(function: Function, rows: Sequence[Row], *, in_order: bool = True) -> tuple[str, ...]:
    """Rows as a report carries them: not all of a million, and of a long one its ends."""
    found = [_shortened(_told(row, function.columns)) for row in rows]
    return tuple(cut(found if in_order else sorted(found), _MOST_KEPT))


def _told(row: Row, kinds: Mapping[str, str]) -> str:
    """A row as a report tells it: of a fact what it is about, and how that is."""
    return f"{row['what']}: {row['is']}" if not kinds and kafka_facts.is_fact(row) else row_text(row, kinds)


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    head, tail = text[: _LONGEST // 2], text[-_LONGEST // 4 :]
    return f"{head} … {len(text) - len(head) - len(tail)} more characters … {tail}"


def row_text(row: Row, kinds: Mapping[str, str]) -> str:
    """A row as the reader sees it: instants in ISO 8601, one value bare, several in parentheses."""
    names = [name for name in kinds if name in row] + [name for name in row if name not in kinds]
    cells = [_cell(row[name], kinds.get(name, "")) for name in names]
    return cells[0] if len(cells) == 1 else f"({', '.join(cells)})"


def _cell(value: Any, kind: str) -> str:
    if kind == "TIMESTAMP" and isinstance(value, int) and not isinstance(value, bool):
        return _instant(value)
    if kind == "STRING" and isinstance(value, str):
        return repr(value)
    if kind == "BINARY" and isinstance(value, str):
        return _bytes(value)
    return str(value)


def _instant(microseconds: int) -> str:
    try:
        return iso(microseconds)
    except (OverflowError, ValueError):  # beyond the years 1 to 9999
        return f"{microseconds} µs since 1970"


def _bytes(text: str) -> str:
    """What is UTF-8 as text, what is not as bytes."""
    try:
        return repr(text.encode("utf-8", "surrogateescape").decode("utf-8"))
    except UnicodeDecodeError:
        return repr(text.encode("utf-8", "surrogateescape"))


def cut(lines: Sequence[str], most: int) -> list[str]:
    """At most so many lines, cut from the middle, saying how much was cut."""
    if len(lines) <= most:
        return list(lines)
    head, tail = (most + 1) // 2, most // 2
    return [*lines[:head], f"… {len(lines) - head - tail} more …", *lines[len(lines) - tail :]]


def cut_around(count: int, at: int | None, most: int = _MOST_STEPS) -> list[int | None]:
    """The indices to show of a long list: the first, those around ``at``, the last; None marks a cut."""
    if count <= most:
        return list(range(count))
    middle = at if at is not None else 0
    keep = {0, count - 1, *range(max(0, middle - most // 2), min(count, middle + 3))}
    shown: list[int | None] = []
    for index in sorted(keep):
        if shown and isinstance(shown[-1], int) and index > shown[-1] + 1:
            shown.append(None)
        shown.append(index)
    return shown
