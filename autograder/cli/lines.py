"""The verb ``lines``: what is typed, on a socket."""

from __future__ import annotations

import sys

import click

from autograder.cli.console import examples, say


@click.command(epilog=examples("lines 9999"))
@click.argument("port", type=click.IntRange(1024, 65_535))
def lines(port: int) -> None:
    """Send what you type to a program.

    It gets the lines when it connects to PORT on this machine, as a socket stream of Spark does.
    """
    from autograder.integrations.lines import serve

    serve(port, sys.stdin, lambda text: say(text, err=True))
