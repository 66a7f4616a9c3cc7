"""Slug to assignment. Every path of the content is derived here, and every manifest is read and refused here."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.content.expressions import number
from autograder.content.manifest import read_manifest
from autograder.model import IDENTIFIER, Assignment, KitError, Parameter, Value


@dataclass(frozen=True)
class Catalog:
    """The content below one root folder: ``assignments/``, ``solutions/`` and ``fixtures/``."""

    root: Path

    def slugs(self) -> tuple[str, ...]:
        """All slugs, in the order that their manifests give."""
        found = [path.parent.name for path in self.root.glob("assignments/*/assignment.toml")]
        return tuple(sorted(found, key=lambda slug: (self.assignment(slug).order, slug)))

    def folder(self, slug: str) -> Path:
        """What a student gets."""
        return self.root / "assignments" / slug

    def manifest(self, slug: str) -> Path:
        """The assignment's manifest."""
        return self.folder(slug) / "assignment.toml"

    def handout(self, slug: str) -> Path:
        """The handout's Markdown file."""
        return self.folder(slug) / "README.md"

    def skeleton(self, slug: str) -> Path:
        """The file a student starts from, which is also the submission's usual name."""
        return self.folder(slug) / f"{slug}.py"

    def notebook(self, slug: str) -> Path:
        """The notebook a student may start from instead."""
        return self.folder(slug) / f"{slug}.ipynb"

    def solutions(self, slug: str) -> Path:
        """The folder of the solution, the expectation, and the accepted and rejected files."""
        return self.root / "solutions" / slug

    def solution(self, slug: str) -> Path:
        """The one source, with BEGIN/END SOLUTION markers."""
        return self.solutions(slug) / "solution.py"

    def expectation(self, slug: str) -> Path:
        """The oracle's part: pure Python, never shown to the untrusted side."""
        return self.solutions(slug) / "expected.py"

    def demo(self, slug: str) -> Path:
        """What `autograder demo` runs on a real stream, outside the marks; not every assignment has it."""
        return self.solutions(slug) / "demo.toml"

    def answers(self, slug: str) -> Path:
        """In a release, what stands for the expectation: the answers to the visible checks alone."""
        return self.folder(slug) / "expected.json"

    def fixture_folder(self, slug: str) -> Path:
        """The folder with ``visible/`` and ``hidden/``."""
        return self.root / "fixtures" / slug

    def templates(self, name: str) -> Path:
        """A file or folder of ``templates/``: the course's own, else the kit's. Raises KitError without either."""
        for root in (self.root, Path(__file__).resolve().parent.parent.parent):
            if (root / "templates" / name).exists():
                return root / "templates" / name
        raise KitError(
            f"{self.root / 'templates' / name} is missing: there is nothing to fill in.",
            "Run it in a checkout of the kit, or set AUTOGRADER_ROOT to a folder that has its folder templates/.",
        )

    def fixture(self, slug: str, name: str) -> Path:
        """A fixture's file. Raises KitError when there is none of that name, or two."""
        folder = self.fixture_folder(slug)
        found = [path for path in (folder / "visible" / f"{name}.jsonl", folder / "hidden" / f"{name}.jsonl") if path.is_file()]
        if len(found) != 1:
            raise KitError(
                f"{self.manifest(slug)}: {'no' if not found else 'more than one'} fixture is called {name!r}",
                f"Keep one file {name}.jsonl in {folder}/visible or {folder}/hidden.",
            )
        return found[0]

    def assignment(self, slug: str) -> Assignment:
        """The assignment of a slug. Raises KitError with file and line when the manifest is refused."""
        path = self.manifest(slug)
        if not re.match(IDENTIFIER, slug) or not path.is_file():
            known = ", ".join(sorted(found.parent.name for found in self.root.glob("assignments/*/assignment.toml")))
            raise KitError(f"There is no assignment called {slug!r}.", f"Known assignments: {known or 'none'}.")
        return read_manifest(path, slug, lambda name: self.fixture(slug, name).parent.name == "hidden")


def find_root() -> Path:
    """The folder with the content: ``AUTOGRADER_ROOT``, else this folder or one above it, else the checkout."""
    given = os.environ.get("AUTOGRADER_ROOT")
    here = Path.cwd()
    places = [Path(given)] if given else [here, *here.parents, Path(__file__).resolve().parent.parent.parent]
    for place in places:
        if (place / "assignments").is_dir():
            return place
    raise KitError(
        "No folder with assignments was found here or above.",
        "Run it inside the kit, or set AUTOGRADER_ROOT to the folder that holds assignments/.",
    )


def parameters_for(assignment: Assignment, values: Mapping[str, Value], given: Mapping[str, str]) -> dict[str, Value]:
    """The parameters to grade with: these, but what was given instead. Raises KitError for what does not fit."""
    values = dict(values)
    for name, text in given.items():
        if name not in values:
            raise KitError(f"{assignment.slug} has no parameter {name!r}.", f"It has: {', '.join(values) or 'none'}.")
        values[name] = _as_parameter(assignment.parameters[name], text)
    return values


def _as_parameter(parameter: Parameter, text: str) -> Value:
    value: Value = text
    if isinstance(parameter.default, int):
        value = int(text) if re.fullmatch(r"\d{1,9}", text) else None
    if value is None or (number(parameter.default) is None) != (number(value) is None):
        raise KitError(
            f"{parameter.name}={text!r} does not fit this parameter.",
            f"Give something like {parameter.default!r}; the choices are {', '.join(map(str, parameter.choices))}.",
        )
    return value
