"""``autograder.check`` in a notebook: the visible checks of the functions just defined, as a table and a figure."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jinja2

from autograder.content.catalog import Catalog, find_root
from autograder.grading.answer_key import AnswerKey
from autograder.grading.check import check as check_here
from autograder.model import Check, CheckReport, KitError, Report
from autograder.reports import terminal
from autograder.submission import notebook
from autograder.submission.read import Submission

_FAULT = "The grader failed, not your program. Try again, and tell your instructor if it stays so."
_PAGES = jinja2.Environment(loader=jinja2.PackageLoader("autograder", "reports"), autoescape=True, undefined=jinja2.StrictUndefined)


@dataclass(frozen=True)
class Checked:
    """What was found, as a notebook shows it (and a plain interpreter). ``problem`` is why there is no report."""

    report: Report | None
    problem: str = ""

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return self.report is not None and self.report.points == self.report.max_points

    def __repr__(self) -> str:
        return terminal.to_text(self.report) if self.report else self.problem

    def _repr_html_(self) -> str:
        """A table with a figure of the failing step; everything that a program could have written is escaped."""
        page = _PAGES.get_template("check.html.j2")
        return page.render(report=self.report, problem=self.problem, number=terminal.number, mark=terminal.mark, result=terminal.result)


def part(report: Report, checks: tuple[CheckReport, ...]) -> Report:
    """A report of some of its checks, with their points."""
    points = round(sum(each.points for each in checks), 2)
    return replace(report, checks=checks, points=points, max_points=sum(each.max_points for each in checks))


def check(slug: str, *functions: Callable[..., Any]) -> Checked:
    """Run the visible checks of an assignment on functions of a notebook, all of its functions when none is named.

    What is graded is what a file would be: the functions, with what the cells run so far define. Never raises because of the
    program or of the grader. Where a cell counts as passed unless it raises, it raises: RuntimeError while nbgrader grades the
    notebook by itself, AssertionError with the report for `nbgrader validate`.
    """
    if os.environ.get("NBGRADER_EXECUTION") == "autograde":
        raise RuntimeError(notebook.NOT_BY_NBGRADER)
    found = _checked(slug, functions)
    if os.environ.get("NBGRADER_EXECUTION") == "validate" and not found.passed:
        raise AssertionError(repr(found))
    return found


def _checked(slug: str, functions: tuple[Callable[..., Any], ...]) -> Checked:
    try:
        answer_key = AnswerKey.load(Catalog(find_root()), slug)
        return Checked(check_here(answer_key, _submission(answer_key, functions), Path.cwd(), _chosen(answer_key, functions), {}))
    except KitError as error:
        return Checked(None, str(error))
    except Exception as error:  # noqa: BLE001  # a student never sees a traceback of ours
        return Checked(None, f"{_FAULT}\n{type(error).__name__}")


def _chosen(answer_key: AnswerKey, functions: tuple[Callable[..., Any], ...]) -> list[Check]:
    """The visible checks of these functions, with those that they need. Raises KitError for a function that is not asked for."""
    asked, names = answer_key.assignment.functions, {getattr(function, "__name__", str(function)) for function in functions}
    for name in sorted(names - set(asked)):
        raise KitError(f"{answer_key.assignment.slug} asks for no function {name!r}.", f"It asks for: {', '.join(asked)}.")
    visible = answer_key.assignment.visible
    chosen = {each.id for each in visible if each.function in names or not names}
    for each in reversed(visible):
        chosen |= set(each.needs) if each.id in chosen else set()
    return [each for each in visible if each.id in chosen]


def _submission(answer_key: AnswerKey, functions: tuple[Callable[..., Any], ...]) -> Submission:
    cells = list(_history())
    if cells:
        program = notebook.program(cells, answer_key.assignment.functions.keys())
        return Submission(Path("notebook"), "this notebook", program.text.encode(), program)
    sources = {inspect.getsourcefile(function) for function in functions}
    path = sources.pop() if len(sources) == 1 else None
    if path is None:
        raise KitError("The functions are not in a notebook, nor in one file.", f"Run: autograder check {answer_key.assignment.slug} FILE")
    return Submission.read(Path(path), answer_key.assignment.functions.keys())


def _history() -> Iterator[notebook.Cell]:
    """The cells that were run, in their order, as they were written; an interpreter that is no notebook has none."""
    try:
        from IPython import get_ipython
    except ImportError:
        return
    shell = get_ipython()
    sources = shell.history_manager.input_hist_raw if shell else []
    for number, source in enumerate(sources):
        if source.strip():
            yield notebook.Cell(f"[{number}]", "code", source)
