"""The verbs that students run: ``check`` and ``hint``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from autograder.cli.console import examples, say_progress
from autograder.cli.options import PARAM, fault_code, pairs, show
from autograder.model import KitError


@click.command(epilog=examples("check watermarks", "check watermarks my/watermarks.py --strict", 'check watermarks -p "window=30 minutes"'))
@click.argument("slug")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True, help="Exit with 1 unless every visible check passes (for CI).")
@PARAM
def check(slug: str, file: Path | None, strict: bool, given: tuple[str, ...]) -> None:
    """Say what is wrong with a submission.

    Runs the visible checks of SLUG on FILE: a module, a notebook, or a folder with SLUG.py or SLUG.ipynb (this one when none is named).
    """
    from autograder.content.catalog import Catalog, find_root
    from autograder.grading.answer_key import AnswerKey
    from autograder.grading.check import check_file

    report = check_file(AnswerKey.load(Catalog(find_root()), slug), file or Path(), pairs(given), say_progress)
    show(report)
    click.echo("The hidden checks are run when your submission is graded.")
    sys.exit(fault_code(report) or (1 if strict and report.points < report.max_points else 0))


@click.command(epilog=examples("hint watermarks", "hint watermarks late_inside -n 2"))
@click.argument("slug")
@click.argument("check_id", metavar="[CHECK]", required=False)
@click.option("--number", "-n", default=1, help="How many of its hints to show.", show_default=True)
def hint(slug: str, check_id: str | None, number: int) -> None:
    """Show the hints of a check.

    Shows the first hint for CHECK of SLUG, or as many as asked for, and what each is for; without CHECK, what checks there are.
    """
    from autograder.content.catalog import Catalog, find_root
    from autograder.judge.hints import in_words

    assignment = Catalog(find_root()).assignment(slug)
    if check_id is None:
        click.echo("\n".join(f"{each.id:28} {each.says}" for each in assignment.checks))
        return
    found = next((each for each in assignment.checks if each.id == check_id), None)
    if found is None:
        raise KitError(f"{slug} has no check {check_id!r}.", f"It has: {', '.join(each.id for each in assignment.checks)}.")
    shown = found.hints[: max(1, number)]
    left = len(found.hints) - len(shown)
    click.echo("\n".join(f"{index}. {in_words(each)}" for index, each in enumerate(shown, 1)))
    if left:
        click.echo(f"({left} more: autograder hint {slug} {check_id} -n {len(shown) + 1})")
