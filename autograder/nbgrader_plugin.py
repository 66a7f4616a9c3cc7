"""nbgrader's part: a preprocessor that grades a notebook by replay, where nbgrader would run it; and the course that uses it.

Needs the extra ``nbgrader``. Nothing of a notebook is run in a kernel, so what a submission does to IPython or to the kernel's machine
changes no mark; the points come out of the sandboxed replay.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from nbformat import v4
from nbgrader.preprocessors import NbGraderPreprocessor  # type: ignore[import-untyped]  # nbgrader has no types
from traitlets import Enum, Unicode

from autograder import commands, live, notebook
from autograder.authoring.notebooks import HIDDEN, VISIBLE
from autograder.catalog import Catalog, find_root
from autograder.engine import Engine
from autograder.grading import Course, Grading, Submission, for_student
from autograder.model import KitError, Report
from autograder.reports import terminal
from autograder.sandbox import bubblewrap

_HIDDEN_TESTS = re.compile(r"\n?### BEGIN HIDDEN TESTS\n.*?### END HIDDEN TESTS\n?", re.DOTALL)


class UnmarkCopies(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Takes away what is left of the marks of a copied cell: nbgrader 0.9.6 adds missing cells only where every mark has an id."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """The notebook without them."""
        for cell in nb.cells:
            if "grade_id" not in cell.metadata.get("nbgrader", {"grade_id": ""}):
                del cell.metadata["nbgrader"]
        return nb, resources


class Replay(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Grades a notebook whose name is an assignment's, and writes points and tables into its cells with points."""

    sandbox = Enum(["bubblewrap", "none"], default_value="bubblewrap", help="What confines submissions.").tag(config=True)
    reports = Unicode("reports", help="Folder of the reports, by assignment and student.").tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """The notebook with its marks. Raises KitError where nothing can be decided: nbgrader then keeps the submission ungraded."""
        names = resources["nbgrader"]
        report = self.graded(nb, names["notebook"], names["student"])
        commands.write(report, Path(self.reports) / names["notebook"] / names["student"])
        if not report.decided:
            faults = [check.message for check in report.checks if check.outcome == "GRADER_ERROR"]
            raise KitError(f"The grader failed on {names['student']}: {faults[0]}", "No marks are decided. Grade this submission again.")
        student = for_student(report)
        for cell in nb.cells:
            _mark(cell, student)
        return nb, resources

    def graded(self, nb: Any, slug: str, student: str) -> Report:
        """The report of all checks, confined unless the configuration says otherwise."""
        course = commands.whole(Course.load(Catalog(find_root()), slug))
        functions, text = course.assignment.functions.keys(), json.dumps(nb)
        submission = Submission(Path(slug), student, text.encode(), notebook.read(text.encode(), functions))
        commands.prepare(lambda *_: None, course.assignment)
        sandbox = bubblewrap.sandbox(commands.java(), course.assignment.limits) if self.sandbox == "bubblewrap" else None
        with Engine(sandbox=sandbox) as engine:
            return Grading(course, submission, course.assignment.defaults(), engine).report(course.assignment.checks)


def _mark(cell: Any, report: Report) -> None:
    """Put a function's points into its cell, as the result that nbgrader reads, and a table for the student beside it."""
    marks = cell.metadata.get("nbgrader", {})
    name, hidden = marks.get("grade_id", ""), marks.get("grade_id", "").endswith(HIDDEN)
    if cell.cell_type != "code" or not marks.get("grade"):
        return
    cell.source = _HIDDEN_TESTS.sub("", cell.source)
    function = name.removesuffix(HIDDEN).removesuffix(VISIBLE)
    checks = tuple(check for check in report.checks if check.function == function and check.hidden is hidden)
    part = live.part(report, checks)
    data = {"text/plain": terminal.number(part.points), "text/html": live.Checked(part)._repr_html_()}
    cell.outputs = [v4.new_output("execute_result", data, execution_count=None)]  # type: ignore[no-untyped-call]  # nbformat has no types
    cell.execution_count = None
