"""The files of a course for nbgrader: its configuration, and a source notebook for each assignment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autograder.authoring.handouts import handout
from autograder.authoring.notebooks import source_notebook
from autograder.authoring.templating import filled
from autograder.catalog import Catalog
from autograder.model import KitError


def course_files(catalog: Catalog, name: str, slugs: Sequence[str]) -> dict[Path, str]:
    """The files by their paths in the course's folder. Raises KitError for an unknown assignment, or without the templates."""
    folder = next(
        (root / "templates" / "nbgrader" for root in (catalog.root, _CHECKOUT) if (root / "templates" / "nbgrader").is_dir()), None
    )
    if folder is None:
        raise KitError("There are no templates for nbgrader.", "Run it in a checkout of the kit, which has them in templates/nbgrader.")
    files = {Path("nbgrader_config.py"): filled(folder / "nbgrader_config.py.j2", {"course": name})}
    for assignment in map(catalog.assignment, slugs):
        path = Path("source") / assignment.slug / f"{assignment.slug}.ipynb"
        given = handout(catalog, assignment, assignment.defaults())
        files[path] = source_notebook(catalog, assignment, given.text)
        files |= {path.with_name(name): figure for name, figure in given.figures.items()}
    return files


_CHECKOUT = Path(__file__).resolve().parent.parent.parent
