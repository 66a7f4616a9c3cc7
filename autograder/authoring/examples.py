"""An example in a handout: a visible fixture step by step, and what a right program emits, as the oracle tells it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import replace

from autograder.authoring import figures
from autograder.content.catalog import Catalog
from autograder.content.expressions import iso
from autograder.grading.answer_key import AnswerKey
from autograder.judge.evidence import cut, row_text, step_text
from autograder.model import Assignment, Check, Fixture, Function, KitError, StepOutput, Value

_MOST_ROWS = 8


class Examples:
    """``example(function, fixture)`` of a handout's template; ``figures`` are those that the examples made so far show."""

    def __init__(self, catalog: Catalog, assignment: Assignment, parameters: Mapping[str, Value]) -> None:
        self.catalog, self.assignment, self.parameters = catalog, assignment, dict(parameters)
        self.figures: dict[str, str] = {}

    def __call__(self, function: str, fixture: str) -> str:
        """The example as a table in Markdown, with its figure where it has windows in event time.

        Raises KitError for a fixture that is not used by a visible check of the function.
        """
        check = self._check(function, fixture)
        answer_key = self._course
        (found,) = answer_key.fixtures(replace(check, fixtures=(fixture,), parameters={}), self.parameters)
        outputs = answer_key.expected(replace(check, parameters={}), found, self.parameters)
        asked = self.assignment.functions[function]
        lines = "\n".join(_table(asked, found, outputs))
        figure = figures.event_time(asked, found, outputs)
        if figure is None:
            return lines
        name = f"{fixture}.svg"
        self.figures[name] = figure
        return f"{lines}\n\n![Events, windows and watermark in event time, step by step]({name})"

    @functools.cached_property
    def _course(self) -> AnswerKey:
        return AnswerKey.load(self.catalog, self.assignment.slug)

    def _check(self, function: str, fixture: str) -> Check:
        for check in self.assignment.checks:
            if check.function == function and fixture in check.fixtures and not check.hidden:
                return check
        raise KitError(
            f"{self.catalog.solutions(self.assignment.slug)}/handout.md.j2: no visible check of {function!r} uses the fixture {fixture!r}.",
            "An example is a fixture that students may see.",
        )


def _table(function: Function, fixture: Fixture, outputs: tuple[StepOutput, ...]) -> Iterator[str]:
    """A line for each step; watermark and dropped rows where the engine has them."""
    watermarks = [output.batches[-1].watermark if output.batches else None for output in outputs]
    dropped = [sum(batch.dropped or 0 for batch in output.batches) for output in outputs]
    more = [title for title, cells in (("watermark", watermarks), ("dropped", dropped)) if any(cells)]
    titles = ["batch" if fixture.drive.empty_batches else "step", "arrives", *more, "emitted"]
    yield f"| {' | '.join(titles)} |"
    yield f"|{'---|' * len(titles)}"
    for number, (step, output) in enumerate(zip(fixture.steps, outputs, strict=True), 1):
        extra = {
            "watermark": iso(1000 * (watermarks[number - 1] or 0)) if watermarks[number - 1] else "",
            "dropped": str(dropped[number - 1] or ""),
        }
        cells = [str(number), step_text(step, fixture.schemas), *(extra[title] for title in more), _emitted(function, output)]
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _emitted(function: Function, output: StepOutput) -> str:
    rows = [row_text(row, function.columns) for row in output.rows]
    return "<br>".join(cut(rows if function.ordered else sorted(rows), _MOST_ROWS))
