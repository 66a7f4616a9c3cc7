"""Render an assignment's handout: its parameters, its checks, and examples with figures that the oracle makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from autograder.authoring.examples import Examples
from autograder.authoring.templating import filled
from autograder.content.catalog import Catalog
from autograder.model import Assignment, Scalar, Value


@dataclass(frozen=True)
class Handout:
    """The text in Markdown, and the figures (SVG) that it shows, by the names of their files beside it."""

    text: str
    figures: Mapping[str, str]


def handout_source(catalog: Catalog, slug: str) -> Path:
    """The handout's template."""
    return catalog.solutions(slug) / "handout.md.j2"


def handout(catalog: Catalog, assignment: Assignment, parameters: Mapping[str, Value]) -> Handout:
    """The handout with these parameters. Raises KitError with the line that Jinja refuses, or for an example that cannot be made.

    The template has the parameters' values by name, ``assignment``, ``checks``, ``parameters`` (whose defaults are these values), and
    ``example(function, fixture)``.
    """
    examples = Examples(catalog, assignment, parameters)
    shown = {name: replace(parameter, default=cast(Scalar, parameters[name])) for name, parameter in assignment.parameters.items()}
    values = {**parameters, "assignment": assignment, "checks": assignment.checks, "parameters": shown, "example": examples}
    return Handout(filled(handout_source(catalog, assignment.slug), values), examples.figures)
