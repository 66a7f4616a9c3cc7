"""Graded reports in the formats of other systems: read ``report.json``, write what they read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from autograder.content.files import make_folder, write_text
from autograder.content.manifest import first_refusal
from autograder.grading.redaction import for_student
from autograder.model import KitError, Report
from autograder.reports import classroom50, github, gradebook_csv, gradescope, json_report, junit, markdown


class Exported(NamedTuple):
    """The text in a system's format; None where that system wants nothing at all of an undecided report."""

    text: str | None
    decided: bool


_Writer = Callable[[Sequence[Report], Mapping[str, str]], str]
_ALL: Mapping[str, _Writer] = {
    "gradescope": lambda graded, _: gradescope.to_gradescope(graded),
    "github": lambda graded, _: github.to_output(graded),
    "markdown": lambda graded, _: markdown.to_markdown(graded),
    "csv": lambda graded, _: gradebook_csv.to_csv(graded),
}
_ONE: Mapping[str, _Writer] = {
    "classroom50": lambda graded, environment: classroom50.to_classroom50(graded[0], environment),
    "junit": lambda graded, _: junit.to_junit(graded[0]),
}
#: The formats whose result is one student's.
_ONE_STUDENT = {"gradescope", "github"}
#: The names of the formats.
FORMATS = tuple(sorted({**_ALL, **_ONE}))


def export(name: str, paths: Sequence[Path], environment: Mapping[str, str]) -> Exported:
    """The reports in a format. ``paths`` are reports, or folders with reports that ``grade`` wrote.

    Raises KitError when a file is no report, there are more reports than the format takes, or a student has two for one assignment.
    """
    graded = [read(path) for path in found(paths)]
    if name in _ONE and len(graded) > 1:
        raise KitError(f"The format {name} takes one report, here are {len(graded)}.", "Name one report.json.")
    if name in _ONE_STUDENT:
        _refuse_others(name, graded)
    _refuse_twice(graded)
    decided = all(each.decided for each in graded)
    if name == "classroom50" and not decided:
        return Exported(None, decided)
    return Exported({**_ALL, **_ONE}[name](graded, environment), decided)


def write(text: str, out: Path) -> None:
    """Write the whole file or nothing of it; its folder is made. Raises KitError when it cannot be written."""
    make_folder(out.parent)
    write_text(out, text)


def found(paths: Sequence[Path]) -> list[Path]:
    """The reports that are named, and those in the folders that are named. Raises KitError for a folder without any."""
    reports: list[Path] = []
    for path in paths:
        inside = sorted(path.rglob("report.json")) if path.is_dir() else [path]
        if not inside:
            raise KitError(f"There is no report.json in {path}.", "Name the folder that `autograder grade` wrote to.")
        reports += inside
    return reports


def read(path: Path) -> Report:
    """A report that ``grade`` wrote. Raises KitError for anything else."""
    try:
        report = for_student(json_report.from_json(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise KitError(f"{path} cannot be read: {error}", "Name a report.json that `autograder grade` wrote.") from error
    except ValidationError as error:
        raise KitError(
            f"{path} is no report: {first_refusal(error, 'the file')}", "Name a report.json that `autograder grade` wrote."
        ) from error
    return report


def _refuse_others(name: str, graded: Sequence[Report]) -> None:
    students = sorted({report.student for report in graded})
    if len(students) > 1:
        raise KitError(
            f"The format {name} takes the reports of one student, here are {len(students)}: {', '.join(students[:3])} …",
            "Name one student's reports, or use csv for a class.",
        )


def _refuse_twice(graded: Sequence[Report]) -> None:
    seen: set[tuple[str, str]] = set()
    for report in graded:
        if (report.student, report.slug) in seen:
            raise KitError(f"There are two reports of {report.student} for {report.slug}.", "Leave the older one out.")
        seen.add((report.student, report.slug))
