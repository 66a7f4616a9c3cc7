"""Options and small things that several verbs share."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from autograder.cli.console import colored, echo
from autograder.model import KitError, Report

PARAM = click.option("--param", "-p", "given", multiple=True, metavar="NAME=VALUE", help="Grade with another value of a parameter.")
SECRET = click.option(
    "--secret",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="File with the course's secret (else AUTOGRADER_SECRET).",
)


def pairs(given: tuple[str, ...]) -> dict[str, str]:
    """What ``--param`` was given. Raises KitError where there is no ``=``."""
    found = dict(text.partition("=")[::2] for text in given)
    if any("=" not in text for text in given):
        raise KitError("--param wants NAME=VALUE.", 'For example: --param "window=30 minutes"')
    return found


def fault_code(report: Report) -> int:
    """The exit code that a report asks for: 3 when the grader failed."""
    return 0 if report.decided else 3


def show(report: Report) -> None:
    """Print a report, in colours where a terminal shows them."""
    from autograder.reports import terminal

    styles: dict[str, dict[str, object]] = {"bold": {"bold": True}, "dim": {"dim": True}}
    color = colored(sys.stdout)
    for line in terminal.lines(report):
        style = styles.get(line.style, {"fg": line.style} if line.style else {})
        echo(click.style(line.text, **style) if color and style else line.text)  # type: ignore[arg-type]  # names of click's styles
