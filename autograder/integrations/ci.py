"""The files with which other systems run the kit: workflows and scripts from templates, the kit's own files beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder import engines
from autograder.authoring import manifests, packing
from autograder.authoring.templating import filled
from autograder.content.catalog import Catalog
from autograder.content.files import make_folder, read_text, write_bytes
from autograder.model import KitError

#: What of a checkout grades: the engine, what installs it, and nothing that describes or tests it.
_ENGINE = ("Makefile", "pyproject.toml", "requirements", "autograder")
#: The templates' marks are not those of GitHub's expressions, bash or Python: ``{= value =}``, ``{% statement %}``.
_MARKS = {
    "trim_blocks": True,
    "lstrip_blocks": True,
    "variable_start_string": "{=",
    "variable_end_string": "=}",
    "comment_start_string": "{%#",
    "comment_end_string": "#%}",
}
#: What every workflow and script says of itself.
_OURS = b"Written by `autograder ci"
SYSTEMS = ("github", "gitlab", "gradescope", "classroom50")


@dataclass(frozen=True)
class How:
    """How submissions are graded there: in which sandbox, and whether each student has a variant of their own.

    ``secret`` is the course's, for systems whose files carry it.
    """

    sandbox: str = "bubblewrap"
    variants: bool = False
    secret: bytes | None = None


def files(catalog: Catalog, system: str, slugs: Sequence[str], how: How) -> dict[str, bytes]:
    """What to write for a system, by path. All assignments when no slug is given.

    Raises KitError when an assignment, the templates or the kit's own files are not there, and when a secret is needed or would be told.
    """
    _check_secret(system, how)
    chosen = tuple(dict.fromkeys(slugs or catalog.slugs()))
    for slug in chosen:
        catalog.assignment(slug)
    if system == "gradescope":
        content = {**_rendered(catalog, system, chosen, how), **kit(catalog, chosen, hidden=True)}
        if how.variants and how.secret:
            content["course.key"] = how.secret
        return {"autograder.zip": packing.zip_bytes(content)}
    if system == "classroom50":
        return {f"{slug}/{path}": data for slug in chosen for path, data in _bundle(catalog, slug, how).items()}
    return _rendered(catalog, system, chosen, how)


def _check_secret(system: str, how: How) -> None:
    """Raise KitError where variants cannot be had: they come from the course's secret."""
    if how.variants and system == "classroom50":
        raise KitError("Classroom 50 publishes what it grades with, so no secret can be in it.", "Leave --variants out there.")
    if how.variants and system == "gradescope" and not how.secret:
        raise KitError("There is no secret of the course.", "Gradescope's zip carries it: name it with --secret FILE.")


def write(content: Mapping[str, bytes], out: Path) -> list[Path]:
    """Write the files below a folder; scripts can be run. Raises KitError when one cannot be written, or is somebody's own."""
    for path, data in content.items():
        if _OURS in data and _foreign(out / path):
            raise KitError(
                f"{out / path} is there, and `autograder ci` did not write it.", "Move it away, or name another folder with --out."
            )
    for path, data in content.items():
        make_folder((out / path).parent)
        write_bytes(out / path, data, packing.mode(data))
    return [out / path for path in content]


def _foreign(path: Path) -> bool:
    return path.is_file() and _OURS not in path.read_bytes()


def _bundle(catalog: Catalog, slug: str, how: How) -> dict[str, bytes]:
    """What Classroom 50 publishes for an assignment. Everyone can fetch it, so nothing hidden is in it."""
    return {**_rendered(catalog, "classroom50", (slug,), how), **kit(catalog, (slug,), hidden=False)}


def _rendered(catalog: Catalog, system: str, slugs: Sequence[str], how: How) -> dict[str, bytes]:
    """The templates of a system, filled in, at the paths at which they stand below its folder."""
    folder = catalog.templates(f"ci/{system}")
    sources = sorted(path for path in folder.rglob("*.j2") if path.is_file())
    functions = [function for slug in slugs for function in catalog.assignment(slug).functions.values()]
    kafka = any(engines.engine(function.engine).needs_brokers for function in functions)
    options = " --sandbox none" * (how.sandbox == "none") + " --variants" * how.variants
    values = {"slugs": slugs, "sandbox": how.sandbox, "kafka": kafka, "variants": how.variants, "options": options}
    return {str(path.relative_to(folder).with_suffix("")): filled(path, values, **_MARKS).encode() for path in sources}


def kit(catalog: Catalog, slugs: Sequence[str], *, hidden: bool) -> dict[str, bytes]:
    """The kit as it grades these assignments, below ``kit/``: no solution, no sample, no test.

    Without ``hidden`` the hidden checks and their fixtures are left out.
    """
    checkout = Path(__file__).resolve().parent.parent.parent
    missing = [name for name in _ENGINE if not (checkout / name).exists()]
    if missing:
        raise KitError(f"{checkout} has no {missing[0]}: the kit's own sources are not here.", "Run it from a checkout of the kit.")
    content = {str(path.relative_to(checkout)): path.read_bytes() for name in _ENGINE for path in _sources(checkout / name)}
    for slug in slugs:
        content |= dict(_assignment(catalog, slug, hidden=hidden))
    return {f"kit/{path}": content[path] for path in sorted(content)}


def _sources(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return [found for found in path.rglob("*") if found.is_file() and "__pycache__" not in found.parts]


def _assignment(catalog: Catalog, slug: str, *, hidden: bool) -> Iterator[tuple[str, bytes]]:
    assignment = catalog.assignment(slug)
    checks = assignment.checks if hidden else assignment.visible
    paths = {catalog.expectation(slug), *(catalog.fixture(slug, name) for check in checks for name in check.fixtures)}
    for path in paths:
        yield str(path.relative_to(catalog.root)), path.read_bytes()
    manifest = catalog.manifest(slug)
    text = read_text(manifest) if hidden else manifests.released(catalog, assignment, {})
    yield str(manifest.relative_to(catalog.root)), text.encode()
