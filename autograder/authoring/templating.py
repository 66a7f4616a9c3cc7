"""Fill in templates: what is wrong with one is told with its file and line."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from autograder.content.files import read_text
from autograder.model import KitError

#: What Jinja calls the file of a template that it got as a text.
_TEMPLATE = "<template>"


def filled(path: Path, values: Mapping[str, object], **options: Any) -> str:
    """A template's text with these values; ``options`` are those of Jinja's environment, for templates with marks of their own.

    Raises KitError for a template that cannot be read, that Jinja refuses, that uses a name which is not there, or that fails.
    """
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True, **options)  # noqa: S701  # no HTML
    text = read_text(path)
    try:
        return str(environment.from_string(text).render(values))
    except KitError:
        raise
    except Exception as error:
        raise _refusal(path, error, values) from error


def _refusal(path: Path, error: Exception, values: Mapping[str, object]) -> KitError:
    """Anything may go wrong in a template: it is a program."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        return KitError(f"{path}:{error.lineno}: {error.message}", "Fix the template.")
    place = f"{path}:{_line(error)}"
    if isinstance(error, jinja2.UndefinedError):
        return KitError(f"{place}: {error.message}", f"It may use: {', '.join(values)}.")
    reason = " ".join(str(error).split())  # one line, whatever was raised
    return KitError(f"{place}: {type(error).__name__}: {reason}", "Fix the template.")


def _line(error: Exception) -> int:
    """The template's innermost line that was at work; 1 when it failed before any was."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno or 1 for frame in reversed(frames) if frame.filename == _TEMPLATE), 1)
