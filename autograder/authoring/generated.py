"""The files of an assignment that are made from others: skeleton, handout with its figures, and notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.authoring.handouts import handout
from autograder.authoring.notebooks import student_notebook
from autograder.authoring.skeletons import cut_skeleton
from autograder.content.catalog import Catalog
from autograder.content.files import read_text, write_text


def generated(catalog: Catalog, slug: str) -> dict[Path, str]:
    """The generated files, with what they should hold. Raises KitError with file and line where a source is refused."""
    assignment = catalog.assignment(slug)
    solution = catalog.solution(slug)
    given = handout(catalog, assignment, assignment.defaults())
    return {
        **{catalog.folder(slug) / name: figure for name, figure in given.figures.items()},
        catalog.skeleton(slug): cut_skeleton(solution, read_text(solution)),
        catalog.handout(slug): given.text,
        catalog.notebook(slug): student_notebook(catalog, assignment, given.text),
    }


def stale(catalog: Catalog, slug: str) -> list[Path]:
    """The generated files that are missing or not what they should be."""
    return differing(generated(catalog, slug))


def differing(files: Mapping[Path, str]) -> list[Path]:
    """Those of the files that are missing, cannot be read, or hold something else."""
    return [path for path, text in files.items() if not _holds(path, text.encode("utf-8"))]


def _holds(path: Path, data: bytes) -> bool:
    try:
        return path.read_bytes() == data
    except OSError:
        return False


def build(catalog: Catalog, slugs: Sequence[str], *, write: bool) -> list[Path]:
    """The generated files that were stale, of all assignments when no slug is given; written when asked to."""
    changed: list[Path] = []
    for slug in slugs or catalog.slugs():
        files = generated(catalog, slug)
        stale_files = differing(files)
        changed += stale_files
        for path in stale_files if write else []:
            write_text(path, files[path])
    return changed
