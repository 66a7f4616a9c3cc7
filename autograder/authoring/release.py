"""What students get: every file of a release, made from the content without anything hidden."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder import __version__
from autograder.authoring import manifests, notebooks, skeletons
from autograder.authoring.answers import answers
from autograder.authoring.handouts import handout
from autograder.authoring.templating import filled
from autograder.authoring.wheel import checkout, wheel
from autograder.content import variants
from autograder.content.catalog import Catalog
from autograder.content.files import read_text
from autograder.grading.answer_key import AnswerKey
from autograder.model import Assignment, Value, Variant

#: Says that a folder was made by a release, and what stands in it.
MARKER = ".release.json"
#: Rendered from ``templates/release``: the file in a release, and its template.
_RENDERED = {"README.md": "README.md.j2", "Makefile": "Makefile.j2", ".gitignore": "gitignore.j2", ".gitattributes": "gitattributes.j2"}
#: Copied from the checkout: the file in a release, and its source.
_COPIED = {
    "requirements.lock": "requirements/run.lock",
    "tools/build.lock": "requirements/build.lock",
    "tools/find_python.sh": "requirements/find_python.sh",
}


def release_files(catalog: Catalog, slugs: Sequence[str], drawn: Mapping[str, Variant]) -> dict[str, bytes]:
    """The files of a release by their relative paths, sorted; the same input gives the same bytes.

    ``drawn`` are variants by slug, of a student for whom the release is. Raises KitError for an unknown slug or value, for content that
    is refused, and where the kit does not run from a checkout.
    """
    root, (name, engine) = checkout(), wheel()
    courses = sorted(
        (AnswerKey.load(catalog, slug) for slug in dict.fromkeys(slugs)), key=lambda c: (c.assignment.order, c.assignment.slug)
    )
    values = {c.assignment.slug: {**c.assignment.defaults(), **_variant(c, drawn).parameters} for c in courses}
    files = {f"wheels/{name}": engine, **{path: (root / source).read_bytes() for path, source in _COPIED.items()}}
    for answer_key in courses:
        variant = replace(_variant(answer_key, drawn), parameters=values[answer_key.assignment.slug])
        files |= _assignment(replace(answer_key, seeds=variant.seeds), variant, own=answer_key.assignment.slug in drawn)
    known = {"assignments": [answer_key.assignment for answer_key in courses], "wheel": name, "parameters": values}
    for path, template in _RENDERED.items():
        files[path] = filled(catalog.templates(f"release/{template}"), known, trim_blocks=True).encode()
    files[MARKER] = _marker(values, files).encode()
    return dict(sorted(files.items()))


def _variant(answer_key: AnswerKey, drawn: Mapping[str, Variant]) -> Variant:
    return drawn.get(answer_key.assignment.slug, Variant(answer_key.assignment.defaults()))


def _assignment(answer_key: AnswerKey, variant: Variant, *, own: bool) -> dict[str, bytes]:
    catalog, assignment, values = answer_key.catalog, answer_key.assignment, variant.parameters
    folder, solution = f"assignments/{assignment.slug}", catalog.solution(assignment.slug)
    given = handout(catalog, assignment, values)
    texts = {
        **{f"{folder}/{name}": figure for name, figure in given.figures.items()},
        f"{folder}/assignment.toml": manifests.released(catalog, assignment, values),
        f"{folder}/README.md": given.text,
        f"{folder}/{assignment.slug}.py": skeletons.cut_skeleton(solution, read_text(solution)),
        f"{folder}/{assignment.slug}.ipynb": notebooks.student_notebook(catalog, assignment, given.text),
        f"{folder}/expected.json": answers(answer_key, values),
        **({f"{folder}/{variants.FILE}": variants.to_toml(assignment, variant)} if own else {}),
    }
    files = {path.relative_to(catalog.root).as_posix(): path.read_bytes() for path in _visible(catalog, assignment)}
    return {**files, **{path: text.encode() for path, text in texts.items()}}


def _visible(catalog: Catalog, assignment: Assignment) -> set[Path]:
    """The fixtures of the visible checks; one that no check uses may be a draft of a hidden one."""
    return {catalog.fixture(assignment.slug, name) for check in assignment.visible for name in check.fixtures}


def _marker(values: Mapping[str, Mapping[str, Value]], files: Mapping[str, bytes]) -> str:
    return json.dumps({"kit": __version__, "assignments": values, "files": sorted([*files, MARKER])}, indent=1) + "\n"
