"""The files of a course for nbgrader: its configuration, and a source notebook for each assignment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autograder.authoring.handouts import handout
from autograder.authoring.notebooks import source_notebook
from autograder.authoring.templating import filled
from autograder.content.catalog import Catalog
from autograder.content.files import make_folder, write_text


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


def write_course(catalog: Catalog, folder: Path, slugs: Sequence[str]) -> list[Path]:
    """Write a course for nbgrader, with all assignments when no slug is given; the files written, without those that were there.

    Raises KitError when a file cannot be made or written.
    """
    written = []
    for name, text in course_files(catalog, folder.resolve().name, slugs or catalog.slugs()).items():
        make_folder((folder / name).parent)
        if not (folder / name).exists():
            write_text(folder / name, text)
            written.append(folder / name)
    return written
