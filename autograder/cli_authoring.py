"""The verbs with which an instructor makes an assignment of their own."""

from __future__ import annotations

from typing import get_args

import click

from autograder.model import Engine
from autograder.terminal_output import examples


@click.command(epilog=examples("new page_views --engine structured", 'new my_kafka --engine kafka --title "Counting records"'))
@click.argument("slug")
@click.option("--engine", type=click.Choice(get_args(Engine)), default="structured", help="What its function runs on.")
@click.option("--title", help="Its title; made from SLUG when left out.")
def new(slug: str, engine: Engine, title: str | None) -> None:
    """Make a small assignment that works.

    Writes manifest, solution, fixtures, right and wrong answers of a new assignment SLUG, from templates/new/ENGINE. `verify`
    accepts it at once; change it from there. Nothing is written when something is wrong.
    """
    from autograder import commands

    for path in commands.new(slug, engine, title):
        click.echo(f"wrote {path}")
    click.echo(f"Change it, then run:  autograder build {slug}  and  autograder verify {slug}")
