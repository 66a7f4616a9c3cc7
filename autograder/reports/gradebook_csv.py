"""Graded reports as the table that nbgrader exports. Source: nbgrader 0.9.5, nbgrader/plugins/export.py (CsvExportPlugin)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from autograder.model import Report

COLUMNS = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score",
)  # fmt: skip
#: How a cell begins that a spreadsheet would run as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def to_csv(reports: Iterable[Report]) -> str:
    """A row for each student and report, by assignment and student; points as decimals.

    The kit knows no dates, names or penalties: these stay empty, or 0. Where nothing is decided there is no score.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for report in sorted(reports, key=lambda report: (report.slug, report.student)):
        score = float(report.points) if report.decided else ""
        graded = {"raw_score": score, "late_submission_penalty": 0.0, "score": score, "max_score": float(report.max_points)}
        writer.writerow({"assignment": report.slug, "student_id": _cell(report.student), **graded})
    return text.getvalue()


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
