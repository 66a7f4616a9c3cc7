"""Graded reports as Markdown for GitHub's job summary, which renders HTML, too: nothing of a submission may be taken for markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from autograder.model import CheckReport, Outcome, Report
from autograder.reports.terminal import details, number, result, shown

#: Bytes of one step's summary, above which GitHub shows none of it. Source: GitHub's documentation, "Workflow commands".
_MOST_BYTES = 1024 * 1024
_MARKS = {Outcome.PASSED: "✅", Outcome.SKIPPED: "➖", Outcome.GRADER_ERROR: "⚠️"}
_MARKUP = re.compile(r"[\\`*_\[\]~|]")


def to_markdown(reports: Sequence[Report]) -> str:
    """A table for each report and what is behind the checks that did not pass; tables alone where that is more than GitHub shows."""
    whole = "\n".join(line for report in reports for line in _lines(report, with_details=True)) + "\n"
    if len(whole.encode()) < _MOST_BYTES:
        return whole
    return "\n".join(line for report in reports for line in _lines(report, with_details=False)) + "\n"


def _lines(report: Report, *, with_details: bool) -> Iterator[str]:
    yield f"### {_inline(report.title)} ({_inline(report.student or report.submission)}): {result(report)}\n"
    if not report.decided:
        yield "The grader failed on a check, not the program. Grade again, or tell your instructor.\n"
    yield "| | check | outcome | points |\n|---|---|---|---:|"
    for check in report.checks:
        name = _inline(check.says) + (" (hidden)" if check.hidden else "")
        outcome = f"{_MARKS.get(check.outcome, '❌')} | {name} | {check.outcome.value}"
        points = "–" if check.outcome is Outcome.GRADER_ERROR else number(check.points)
        yield f"| {outcome} | {points}/{check.max_points} |"
    yield ""
    for check in report.checks if with_details else ():
        if check.outcome is not Outcome.PASSED and details(check):
            yield from _details(check)


def _details(check: CheckReport) -> Iterator[str]:
    text = details(check)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    yield f"<details><summary>{_inline(check.says)}</summary>\n\n{fence}text\n{text}\n{fence}\n\n</details>\n"


def _inline(text: str) -> str:
    """Text that stays text: in a line, in a table's cell and between tags."""
    line = " ".join(shown(text).split())
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", html.escape(line, quote=False))
