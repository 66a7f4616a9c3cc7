"""Figures of examples, drawn by Matplotlib as SVG: the same bytes for the same example."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import UTC
from typing import Any

from autograder.content.fixtures import SCALAR
from autograder.judge.evidence import row_text
from autograder.model import Add, Fixture, Function, KitError, Row, StepOutput

#: Matplotlib counts days since 1970. Source: matplotlib.dates.
_DAY = 86_400_000_000
_EVENT, _WINDOW, _WATERMARK = "#1f4e79", "#9dc3e6", "#c00000"
#: Heights: of a window's lane and of the space between two steps, where events have 1.
_LANE, _SPACE = 0.8, 0.4


def event_time(function: Function, fixture: Fixture, outputs: Sequence[StepOutput]) -> str | None:
    """Events, emitted windows and the watermark over event time, step by step, as the text of an SVG file.

    None for a result without windows in event time. Raises KitError without Matplotlib (the extra ``authoring``).
    """
    ends = tuple(next((name for name in function.columns if name.endswith(suffix)), "") for suffix in ("_start", "_end"))
    column = _time_column(fixture) if all(ends) and function.columns[ends[0]] == "TIMESTAMP" else ""
    if not column:
        return None
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise KitError("Figures are drawn by Matplotlib, which is not installed.", "In the kit's checkout: make .venv/ready") from error
    steps = [(str(number), step, output) for number, (step, output) in enumerate(zip(fixture.steps, outputs, strict=True), 1)]
    shown = [
        (number, [row[column] for rows in step.rows.values() for row in rows], out) for number, step, out in steps if isinstance(step, Add)
    ]
    height = sum(1 + _SPACE + _LANE * len(output.rows) for _, _, output in shown)
    with rc_context({"svg.hashsalt": "autograder", "svg.fonttype": "none", "font.family": "DejaVu Sans", "font.size": 9}):
        figure = Figure(figsize=(8, 0.9 + 0.28 * height), layout="constrained")
        axes = figure.add_subplot()
        places, top = [], 0.0
        for _, times, output in shown:
            places.append(top + 0.5)
            top = _step(axes, top, times, output, function, ends)
        _finish(axes, places, [f"step {number}" for number, _, _ in shown], top)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def _time_column(fixture: Fixture) -> str:
    """The event time: the first column of the only source that is an instant."""
    (columns, *others) = fixture.schemas.values()
    return "" if others else next((name for name, kind in columns if kind == "TIMESTAMP" and name != SCALAR), "")


def _step(  # noqa: PLR0913, PLR0917  # what is drawn, and where
    axes: Any, top: float, times: Sequence[int | None], output: StepOutput, function: Function, ends: tuple[str, ...]
) -> float:
    """Draw a step from ``top`` downwards: its events, under them a lane for each window emitted. Where the next one begins."""
    bottom = top + 1 + _LANE * len(output.rows)
    known = [time / _DAY for time in times if time is not None]
    axes.plot(known, [top + 0.5] * len(known), "o", color=_EVENT, label="event", zorder=3)
    watermark = output.batches[-1].watermark if output.batches else None
    if watermark:
        axes.vlines(watermark * 1000 / _DAY, top, bottom, color=_WATERMARK, label="watermark", linewidth=2, zorder=2)
    for index, row in enumerate(sorted(output.rows, key=lambda row: (row[ends[0]], repr(row)))):
        _window(axes, top + 1 + _LANE * index, row, function, ends)
    return bottom + _SPACE


def _window(axes: Any, top: float, row: Row, function: Function, ends: tuple[str, ...]) -> None:
    start, end = (row[name] / _DAY for name in ends)
    axes.broken_barh([(start, end - start)], (top, _LANE * 0.85), color=_WINDOW, label="window emitted", zorder=1)
    rest = row_text({name: value for name, value in row.items() if name not in ends}, function.columns)
    axes.text((start + end) / 2, top + _LANE * 0.42, rest, ha="center", va="center", fontsize=7, zorder=4)


def _finish(axes: Any, places: Sequence[float], names: Sequence[str], bottom: float) -> None:
    from matplotlib.dates import AutoDateLocator, DateFormatter

    axes.set_yticks(places, names)
    axes.set_ylim(bottom, -0.2)
    axes.xaxis.set_major_locator(AutoDateLocator(tz=UTC))  # type: ignore[no-untyped-call]  # Matplotlib has no types here
    axes.xaxis.set_major_formatter(DateFormatter("%H:%M", tz=UTC))  # type: ignore[no-untyped-call]  # as above
    axes.set_xlabel("event time")
    named = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    axes.legend(named.values(), named.keys(), loc="lower left", bbox_to_anchor=(0, 1), ncols=3, fontsize=7, frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
