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
from traitlets import Bool, Enum, Unicode

from autograder.authoring.notebooks import HIDDEN, VISIBLE
from autograder.content.catalog import Catalog, find_root
from autograder.content.variants import course_secret
from autograder.grading.answer_key import AnswerKey
from autograder.grading.redaction import for_student
from autograder.grading.session import Session, confinement, prepare
from autograder.integrations import notebook_check
from autograder.model import KitError, Report
from autograder.reports import terminal
from autograder.reports.folder import write
from autograder.submission import notebook
from autograder.submission.read import Submission

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
    variants = Bool(False, help="Whether each student is graded with their own variant.").tag(config=True)
    secret = Unicode("", help="File with the course's secret, for variants (else AUTOGRADER_SECRET).").tag(config=True)
    reports = Unicode("reports", help="Folder of the reports, by assignment and student.").tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """The notebook with its marks. Raises KitError where nothing can be decided: nbgrader then keeps the submission ungraded."""
        names = resources["nbgrader"]
        report = self.graded(nb, names["notebook"], names["student"])
        write(report, Path(self.reports) / names["notebook"] / names["student"])
        if not report.decided:
            faults = [check.message for check in report.checks if check.outcome == "GRADER_ERROR"]
            raise KitError(
                f"The grader failed on {names['student']}: {faults[0].splitlines()[-1]}",
                "No marks are decided. Grade this submission again.",
            )
        student = for_student(report)
        for cell in nb.cells:
            _mark(cell, student)
        return nb, resources

    def graded(self, nb: Any, slug: str, student: str) -> Report:
        """The report of all checks, with the student's variant and confined as the configuration says."""
        answer_key = AnswerKey.load(Catalog(find_root()), slug).complete()
        text = json.dumps(nb).encode()
        submission = Submission(Path(slug), slug, text, notebook.read(text, answer_key.assignment.functions.keys()), student)
        prepare(answer_key.assignment)
        sandbox = confinement(answer_key) if self.sandbox == "bubblewrap" else None
        secret = course_secret(Path(self.secret) if self.secret else None) if self.variants else None
        return Session(answer_key, secret, sandbox=sandbox).grade(submission).report


def _mark(cell: Any, report: Report) -> None:
    """Put a function's points into its cell, as the result that nbgrader reads, and a table for the student beside it."""
    marks = cell.metadata.get("nbgrader", {})
    name, hidden = marks.get("grade_id", ""), marks.get("grade_id", "").endswith(HIDDEN)
    if cell.cell_type != "code" or not marks.get("grade"):
        return
    cell.source = _HIDDEN_TESTS.sub("", cell.source)
    function = name.removesuffix(HIDDEN).removesuffix(VISIBLE)
    checks = tuple(check for check in report.checks if check.function == function and check.hidden is hidden)
    part = notebook_check.part(report, checks)
    data = {"text/plain": terminal.number(part.points), "text/html": notebook_check.Checked(part)._repr_html_()}
    cell.outputs = [v4.new_output("execute_result", data, execution_count=None)]  # type: ignore[no-untyped-call]  # nbformat has no types
    cell.execution_count = None
