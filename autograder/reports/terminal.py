"""The report as lines of text for a person: outcome, what was expected, what it got at which step, one line to try."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from autograder.judge.evidence import cut, cut_around
from autograder.judge.messages import NEVER_CALLED, WHOLE_FILE, without_fault
from autograder.model import CheckReport, Evidence, Outcome, Report

_WIDTH = 110
_MARKS = {
    Outcome.PASSED: ("✔", "green"),
    Outcome.FAILED: ("✘", "red"),
    Outcome.ERROR: ("✘", "red"),
    Outcome.TIMEOUT: ("⏱", "red"),
    Outcome.OUT_OF_MEMORY: ("✘", "red"),
    Outcome.TOO_MANY_PROCESSES: ("✘", "red"),
    Outcome.TOO_MANY_FILES: ("✘", "red"),
    Outcome.TOO_MUCH_OUTPUT: ("✘", "red"),
    Outcome.SKIPPED: ("–", "yellow"),
    Outcome.GRADER_ERROR: ("!", "magenta"),
}
#: What a terminal or an editor obeys: control characters, other line ends, marks that turn the direction of text or hide it.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


class Line(NamedTuple):
    """A line and the style in which a terminal may show it."""

    text: str
    style: str = ""


def to_text(report: Report) -> str:
    """The whole report without styles, one line a line."""
    return "".join(f"{line.text}\n" for line in lines(report))


def lines(report: Report) -> Iterator[Line]:
    """The report line by line. Control characters are shown, not sent to the terminal."""
    for line in _lines(report):
        yield Line(one_line(line.text), line.style)


def shown(text: str) -> str:
    """The text with its control characters spelled out, line ends excepted."""
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def one_line(text: str) -> str:
    """A line of the report stays one: what it shows of a submission may have line ends."""
    return shown(text).replace("\n", "\\n").rstrip()


def named(check: CheckReport) -> str:
    """What a check is called where others show it."""
    return shown(check.says) + (" (hidden)" if check.hidden else "")


def details(check: CheckReport) -> str:
    """What stands below a check's line: what happened, the evidence, what was printed, one line to try. Empty where there is nothing."""
    return textwrap.dedent("\n".join(one_line(line.text) for line in _below(check)))


def _lines(report: Report) -> Iterator[Line]:
    yield Line(" · ".join(filter(None, (f"{report.title} ({report.slug})", report.student, report.submission))), "bold")
    values = ", ".join(f"{name} = {value}" for name, value in report.parameters.items())
    yield Line(f"Graded with {values}" if values else "", "dim")
    yield Line("")
    yield from _checks(report)
    yield Line("")
    if report.sandbox == "none":
        yield Line("Graded without confinement (--sandbox none).", "yellow")
    yield _sum(report)


def _checks(report: Report) -> Iterator[Line]:
    about_the_file = _whole_file(report)
    if about_the_file:
        yield from (Line(line.text.removeprefix("    "), line.style) for line in _below(about_the_file))
        yield Line("")
        yield from (_head(check) for check in report.checks)
        return
    told: set[tuple[str, str]] = set()
    raised: dict[tuple[str | int | None, ...], str] = {}
    for check in report.checks:
        before = raised.get(_slip(check)) if check.line is not None else None
        raised.setdefault(_slip(check), check.says)
        yield from _check(check, (check.message, check.hint) in told, before)
        if check.evidence and check.evidence[0].at is None:  # a failure of the whole function
            told.add((check.message, check.hint))


def _slip(check: CheckReport) -> tuple[str | int | None, ...]:
    """What is the same where several functions fail of one slip: the kind, the line, and the text without function and step."""
    text = re.sub(r" \(at step \d+\)", "", check.message.replace(check.function, "…"))
    return check.kind, check.cell, check.line, text, check.diagnosis


def _whole_file(report: Report) -> CheckReport | None:
    """A check that tells what is wrong with the whole file, where that is why every check failed or was skipped."""
    failed = [check for check in report.checks if check.outcome is not Outcome.SKIPPED]
    told = [check for check in failed if not check.hidden or report.audience == "instructor"]
    same = len({check.kind for check in failed}) == 1 == len({(check.message, check.line, check.cell) for check in told})
    return told[0] if same and told[0].kind in WHOLE_FILE else None


def _sum(report: Report) -> Line:
    if report.decided:
        return Line(result(report), "bold")
    what = "No marks are decided: the grader failed on a check"
    if report.audience == "instructor":
        return Line(f"{what}; instructor.json says why. Grade again.", "magenta")
    return Line(f"{what}. Grade again, or tell your instructor.", "magenta")


def _head(check: CheckReport) -> Line:
    mark, style = _MARKS[check.outcome]
    points = f"{'–' if check.outcome is Outcome.GRADER_ERROR else number(check.points)}/{check.max_points}"
    hidden = "  (hidden)" if check.hidden else ""
    return Line(f"  {mark} {check.says}{hidden}".ljust(_WIDTH - len(points) - 1) + f" {points}", style)


def _check(check: CheckReport, told: bool, before: str | None) -> Iterator[Line]:
    """A check whole; where it was ``told`` of its function, its message alone, and of an error that came ``before``, where."""
    yield _head(check)
    if before is not None:
        yield from _wrapped(f"The same error as in “{before}”.")
    else:
        yield from _message(check) if told else _below(check)


def _message(check: CheckReport) -> Iterator[Line]:
    cell = f"cell {check.cell}, " if check.cell else ""
    where = f" ({cell}line {check.line})" if check.line else ""
    if check.message:
        yield from _wrapped(f"{without_fault(check.message)}{where}")


def _below(check: CheckReport) -> Iterator[Line]:
    yield from _message(check)
    if check.diagnosis:
        yield from _wrapped(f"It looks like this: {check.diagnosis}", "cyan")
    if check.evidence and check.kind not in NEVER_CALLED:
        yield from _evidence(check.evidence[0])
        if len(check.evidence) > 1:
            yield Line(f"      {len(check.evidence) - 1} more of its fixtures failed.", "dim")
    if check.printed and check.outcome is not Outcome.PASSED:
        yield Line("      Your program printed:", "dim")
        yield from (Line(f"        {text}", "dim") for text in cut(check.printed.splitlines(), 8))
    if check.hint:
        yield from _wrapped(f"Try: {check.hint}", "cyan")


def _wrapped(text: str, style: str = "") -> Iterator[Line]:
    yield from (Line(part, style) for part in textwrap.wrap(text, _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 8))


def _evidence(evidence: Evidence) -> Iterator[Line]:
    yield Line(f"      {evidence.fixture}: {evidence.says}", "dim")
    if evidence.at is None:
        return
    for index in cut_around(len(evidence.steps), evidence.at):
        if index is None:
            yield Line("           …", "dim")
            continue
        arrow = "→" if index == evidence.at else " "
        wrapped = textwrap.wrap(f"{evidence.steps[index]}", _WIDTH - 10, subsequent_indent="   ") or [""]
        for number_of_line, part in enumerate(wrapped):
            yield Line(f"       {arrow if number_of_line == 0 else ' '} {part}", "" if index == evidence.at else "dim")
    yield from _rows("expected", evidence.expected, evidence.missing)
    yield from _rows("got", evidence.got, evidence.unexpected)


def _rows(title: str, rows: tuple[str, ...], marked: tuple[str, ...]) -> Iterator[Line]:
    left = Counter(marked)
    texts = []
    for row in rows:
        star = left[row] > 0
        left[row] -= star
        texts.append(f"{'*' if star else ' '} {row}")
    for index, text in enumerate(cut(texts, 10)):
        yield Line(f"        {title if index == 0 else '':9}{text}", "bold" if text.startswith("*") else "")


def result(report: Report) -> str:
    """What it comes to, in a few words: the points, or that there are none to tell."""
    return f"{number(report.points)} of {report.max_points} points" if report.decided else "nothing is decided"


def mark(outcome: Outcome) -> str:
    """The sign of an outcome."""
    return _MARKS[outcome][0]


def number(points: float) -> str:
    """Points as a person writes them: 3, 2.5."""
    return f"{points:.2f}".rstrip("0").rstrip(".")
