"""Fill in templates: what is wrong with one is told with its file and line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from autograder.catalog import read_text
from autograder.model import KitError


def filled(path: Path, values: Mapping[str, object], **options: Any) -> str:
    """A template's text with these values; ``options`` are those of Jinja's environment, for templates with marks of their own.

    Raises KitError for a template that cannot be read, that Jinja refuses, or that uses a name which is not there.
    """
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True, **options)  # noqa: S701  # no HTML
    try:
        return str(environment.from_string(read_text(path)).render(values))
    except jinja2.TemplateSyntaxError as error:
        raise KitError(f"{path}:{error.lineno}: {error.message}", "Mend the template.") from error
    except jinja2.UndefinedError as error:
        raise KitError(f"{path}: {error.message}", f"It may use: {', '.join(values)}.") from error
