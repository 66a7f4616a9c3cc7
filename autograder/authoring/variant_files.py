"""The files of one student's variant: handout, skeleton, notebook, and what `check` reads."""

from __future__ import annotations

from pathlib import Path

from autograder.authoring import notebooks
from autograder.authoring.handouts import handout
from autograder.content import variants
from autograder.content.catalog import Catalog
from autograder.content.files import make_folder, read_text, write_text
from autograder.model import KitError, Variant


def write_variant(catalog: Catalog, slug: str, student: str, secret: bytes, out: Path | None) -> tuple[Variant, list[Path]]:
    """A student's variant, and the files of it that were written to a folder, none without one.

    Raises KitError when somebody's work is there already.
    """
    assignment = catalog.assignment(slug)
    found = variants.draw(secret, assignment, student)
    given = handout(catalog, assignment, found.parameters)
    texts = {
        "README.md": given.text,
        **given.figures,
        f"{slug}.py": read_text(catalog.skeleton(slug)),
        f"{slug}.ipynb": notebooks.student_notebook(catalog, assignment, given.text),
        variants.FILE: variants.to_toml(assignment, found),
    }
    if out is None:
        return found, []
    make_folder(out)
    if (out / f"{slug}.py").exists():
        raise KitError(f"{out / slug}.py is there already: it may be somebody's work.", "Name another folder with --out.")
    for name, text in texts.items():
        write_text(out / name, text)
    return found, [out / name for name in texts]
