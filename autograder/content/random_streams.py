"""Random streams like an assignment's own fixtures: short ones, on which two programs that differ soon emit something else."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from autograder.content.fixtures import placed
from autograder.content.wrong_programs import length
from autograder.model import Add, Drive, Fixture, Flush, Restart, Row, Step, Value

_MS, _MINUTE = 1_000, 60_000_000
_MOST_STEPS, _MOST_ROWS = 6, 5
#: So much longer is a time now and then: what is kept for very long is not kept for ever.
_FAR = 200
#: A word may stand in any case, with a sign or a space at its end, and be long.
_SPELLINGS = (str.upper, str.capitalize, lambda text: f"{text} ", lambda text: f"{text}!", lambda text: f"{text}é", lambda text: text * 4)


def streams_like(fixtures: Sequence[Fixture], chance: random.Random) -> RandomStreams | None:
    """Streams like these fixtures; None where no rows arrive in any of them."""
    like = next((fixture for fixture in fixtures if any(isinstance(step, Add) for step in fixture.steps)), None)
    return RandomStreams(like, fixtures, chance) if like else None


class RandomStreams:
    """Random streams like an assignment's own: of the values in its fixtures, at times that matter to the parameters."""

    def __init__(self, like: Fixture, fixtures: Sequence[Fixture], chance: random.Random) -> None:
        self.like, self.chance = like, chance
        self.places: set[tuple[Value, ...]] = set()
        rows = [
            (source, row)
            for fixture in fixtures
            for step in fixture.steps
            if isinstance(step, Add)
            for source, some in step.rows.items()
            for row in some
        ]
        self.start = min((cell for source, row in rows for cell in self._times(source, row)), default=0)
        self.cells = {
            (source, name): sorted({row[name] for where, row in rows if where == source}, key=repr)
            for source, columns in self.like.schemas.items()
            for name, _ in columns
        }
        self.restarts = any(isinstance(step, Restart) for fixture in fixtures for step in fixture.steps)

    def _times(self, source: str, row: Row) -> list[int]:
        return [row[name] for name, kind in self.like.schemas.get(source, ()) if kind == "TIMESTAMP" and isinstance(row.get(name), int)]

    def stream(self, values: Mapping[str, Value]) -> Fixture:
        """One stream, with a flush at the end where no clock ends it."""
        self.places = set()
        units = [unit for value in values.values() if (unit := length(value))] or [_MINUTE]
        steps: list[Step] = []
        for _ in range(self.chance.randint(1, _MOST_STEPS)):
            if steps and self.restarts and self.chance.random() < 0.2:  # noqa: PLR2004  # now and then
                steps.append(Restart(crash=self.chance.random() < 0.5))  # noqa: PLR2004  # as often as not
            steps.append(Add({source: self._rows(source, units) for source in self.like.schemas}))
        drive = self.like.drive if self.like.drive.empty_batches else Drive("step")
        flush = [step for step in self.like.steps if isinstance(step, Flush)]
        return replace(self.like, drive=drive, steps=(*steps, *flush[:1]))

    def _rows(self, source: str, units: Sequence[int]) -> tuple[Row, ...]:
        rows = [self._row(source, units) for _ in range(self.chance.randint(0, _MOST_ROWS))]
        rows += [dict(row) for row in rows[:1] if self.chance.random() < 0.2]  # noqa: PLR2004  # some come twice
        return tuple(placed(row, self.places) for row in rows)

    def _row(self, source: str, units: Sequence[int]) -> Row:
        return {name: self._cell(source, name, kind, units) for name, kind in self.like.schemas[source]}

    def _cell(self, source: str, name: str, kind: str, units: Sequence[int]) -> Value:
        if kind == "TIMESTAMP":
            far = self.chance.choice([1, 1, 1, 1, 1, 1, 1, _FAR])
            at = self.start + far * sum(self.chance.randint(0, 2) * unit for unit in units)
            return at + self.chance.choice([0, 0, -_MS, _MS, _MINUTE, -_MINUTE, 61_001_000, 3 * _MINUTE])
        cell: Value = self.chance.choice(self.cells[source, name] or [0])
        if kind == "STRING" and isinstance(cell, str) and self.chance.random() < 0.2:  # noqa: PLR2004  # some are spelled otherwise
            cell = self.chance.choice(_SPELLINGS)(cell)
        return cell
