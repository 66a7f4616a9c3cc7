"""A new assignment out of the templates: small, whole and right, so that an author changes something that works."""

from __future__ import annotations

import keyword
import re
import shutil
import tempfile
from pathlib import Path

from autograder import engines
from autograder.authoring import generated
from autograder.authoring.templating import filled
from autograder.content import expected
from autograder.content.catalog import Catalog
from autograder.content.fixtures import read_fixture
from autograder.model import IDENTIFIER, SHORTEST, KitError

#: The parts of an assignment. The manifest's comes last: with it the assignment is there.
_PARTS = ("fixtures", "solutions", "assignments")
_LONGEST = 50
#: Marks of blocks, variables and comments: their own, for the handout is a template itself.
_MARKS = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}


def new(catalog: Catalog, slug: str, engine: str, title: str | None = None) -> list[Path]:
    """Write an assignment that `verify` accepts; the files that were written.

    Raises KitError when the name is taken or no name, the title is none, or a template cannot be used. Then nothing is written.
    """
    engines.engine(engine)
    _check_slug(catalog, slug)
    title = title or _title(slug)
    _check_title(title)
    templates = catalog.templates(f"new/{engine}")
    try:
        with tempfile.TemporaryDirectory(prefix=".autograder-new-", dir=catalog.root) as folder:
            draft = Catalog(Path(folder))
            _render(templates, draft, slug, {"slug": slug, "title": title, "order": _order(catalog)})
            _complete(templates, draft, slug)
            return _move(draft, catalog, slug)
    except OSError as error:
        raise KitError(f"{catalog.root}: the assignment cannot be written: {error}", "Nothing was written; fix this first.") from error


def _check_slug(catalog: Catalog, slug: str) -> None:
    if not re.fullmatch(IDENTIFIER, slug) or slug.endswith("\n") or len(slug) > _LONGEST or keyword.iskeyword(slug):
        raise KitError(
            f"{slug!r} is no name for an assignment.",
            f"Write at most {_LONGEST} of a to z, 0 to 9 and _, beginning with a letter: for example page_views.",
        )
    for part in _PARTS:
        if (catalog.root / part / slug).exists():
            raise KitError(f"{catalog.root / part / slug} is there already.", "Choose another name, or remove what is there.")


def _title(slug: str) -> str:
    title = slug.replace("_", " ").strip().capitalize()
    return title if len(title) >= SHORTEST else f"Assignment {title}"


def _check_title(title: str) -> None:
    if len(title) < SHORTEST or not title.isprintable():
        raise KitError(f"{title!r} is no title.", f"Give another with --title: one line of at least {SHORTEST} characters.")


def _order(catalog: Catalog) -> int:
    """Behind all others."""
    return 10 + max((catalog.assignment(slug).order for slug in catalog.slugs()), default=0)


def _render(templates: Path, draft: Catalog, slug: str, values: dict[str, object]) -> None:
    """Every template becomes the file of its name, below the folder of the slug."""
    for path in sorted(path for path in templates.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        part, *rest = path.relative_to(templates).parts
        target = draft.root.joinpath(part, slug, *rest)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(filled(path, values, **_MARKS), encoding="utf-8")


def _complete(templates: Path, draft: Catalog, slug: str) -> None:
    """Read all of it, as grading will, and write what is made from the rest. What is refused is told of the template."""
    try:
        assignment = draft.assignment(slug)
        expected.load(draft.expectation(slug))
        for path in sorted(draft.fixture_folder(slug).glob("*/*.jsonl")):
            read_fixture(path, assignment.defaults())
        for path, text in generated.generated(draft, slug).items():
            path.write_text(text, encoding="utf-8")
    except KitError as error:
        message = re.sub(rf"{re.escape(str(draft.root))}/(\w+)/{slug}", rf"{templates}/\1", error.message)
        if message == error.message:  # not about a template: Matplotlib is missing
            raise
        raise KitError(message, "The assignment would not work. Fix the template.") from error
    shutil.rmtree(draft.solutions(slug) / "__pycache__", ignore_errors=True)


def _move(draft: Catalog, catalog: Catalog, slug: str) -> list[Path]:
    """Into the catalogue, or not at all."""
    moved: list[Path] = []
    files = [catalog.root / path.relative_to(draft.root) for path in sorted(draft.root.rglob("*")) if path.is_file()]
    try:
        for part in _PARTS:
            target = catalog.root / part / slug
            target.parent.mkdir(exist_ok=True)
            (draft.root / part / slug).rename(target)
            moved.append(target)
    except OSError:
        for target in moved:
            shutil.rmtree(target)
        raise
    return files
