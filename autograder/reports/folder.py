"""A report in all its forms, in the folder of one student."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from autograder.content.files import make_folder, write_text
from autograder.grading.redaction import for_student
from autograder.model import Report
from autograder.reports import json_report, junit, terminal


def write(report: Report, folder: Path, seconds: Mapping[str, float] | None = None) -> None:
    """Write one report in all its forms. A file is replaced whole or not at all; raises KitError when one cannot be written.

    ``seconds`` of the replays are no part of the report, which is the same on every machine.
    """
    student = for_student(report)
    make_folder(folder)
    write_text(folder / "instructor.json", json_report.to_json(report))
    write_text(folder / "report.json", json_report.to_json(student))
    write_text(folder / "report.txt", terminal.to_text(student))
    write_text(folder / "junit.xml", junit.to_junit(student))
    if seconds is not None:
        write_text(folder / "timings.json", json.dumps(seconds, indent=2) + "\n")
