"""The files of a course for nbgrader: its configuration, and a source notebook for each assignment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autograder.authoring.handouts import handout
from autograder.authoring.notebooks import source_notebook
from autograder.authoring.templating import filled
from autograder.catalog import Catalog


def course_files(catalog: Catalog, name: str, slugs: Sequence[str]) -> dict[Path, str]:
    """The files by their paths in the course's folder. Raises KitError for an unknown assignment, or without the templates."""
    template = catalog.templates("nbgrader/nbgrader_config.py.j2")
    files = {Path("nbgrader_config.py"): filled(template, {"course": name})}
    for assignment in map(catalog.assignment, slugs):
        path = Path("source") / assignment.slug / f"{assignment.slug}.ipynb"
        given = handout(catalog, assignment, assignment.defaults())
        files[path] = source_notebook(catalog, assignment, given.text)
        files |= {path.with_name(name): figure for name, figure in given.figures.items()}
    return files
