"""The verbs of the command line. No logic: each hands over to the module that does the work."""

from __future__ import annotations

import os
import sys

import click

from autograder.cli.authoring import new, record
from autograder.cli.check import check, hint
from autograder.cli.console import echo, examples, say, say_progress
from autograder.cli.demo import demo
from autograder.cli.grade import grade, variant
from autograder.cli.kafka import kafka
from autograder.cli.lines import lines
from autograder.cli.nbgrader import nbgrader
from autograder.cli.release import release
from autograder.cli.results import ci, export
from autograder.cli.verify import build, strength, verify
from autograder.model import KitError


class _Group(click.Group):
    """A group whose mistakes of use come as two lines and exit code 2."""

    def invoke(self, ctx: click.Context) -> object:
        """Run; a KitError is for the reader, anything else is a bug and keeps its traceback."""
        try:
            return super().invoke(ctx)
        except KitError as error:
            say(f"autograder: {error.message}\n{error.hint}", err=True)
            ctx.exit(2)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(package_name="autograder")
def main() -> None:
    """Auto-graded assignments for data stream processing.

    Students run `check`, instructors `grade`, authors `new`, `record`, `build`, `verify` and `strength`.
    """
    if _system() == "nt":  # told before anything is imported that is not there
        raise KitError("autograder runs on Linux and macOS.", "On Windows run it in WSL2.")


def _system() -> str:
    return os.name


for _verb in (check, hint, grade, variant, verify, strength, build, demo, kafka, lines, nbgrader, release, export, ci, new, record):
    main.add_command(_verb)


@main.command("list", epilog=examples("list"))
def list_() -> None:
    """List the assignments with their points."""
    from autograder.content.catalog import Catalog, find_root

    catalog = Catalog(find_root())
    for slug in catalog.slugs():
        assignment = catalog.assignment(slug)
        click.echo(f"{slug:20} {assignment.max_points:3} points  {assignment.title}: {assignment.summary}")


@main.command(epilog=examples("doctor"))
def doctor() -> None:
    """Say what this machine offers.

    Java, sandbox, Kafka, cores, memory and caches, and how to fix what is missing. Exit code 1 when `grade` cannot work here.
    """
    from autograder.cli.doctor import examine

    findings = examine()
    for finding in findings:
        echo(f"{'✔' if finding.good else '✘'} {finding.name:12} {finding.says}")
        if finding.fix:
            echo(f"  {'':12} {finding.fix}")
    sys.exit(0 if all(finding.good or not finding.needed for finding in findings) else 1)


@main.command(epilog=examples("warm"))
def warm() -> None:
    """Make the class caches and fetch Kafka.

    Once on a machine; `check` and `grade` do it themselves when something is missing. They try a class cache once;
    if it could not be made, this command tries again.
    """
    from autograder.content.catalog import Catalog, find_root
    from autograder.engines import spark_replays
    from autograder.grading.session import left_out
    from autograder.machine.tried_once import forget_failures

    forget_failures()
    made = spark_replays.prepare(say_progress)
    catalog = Catalog(find_root())
    for assignment in map(catalog.assignment, catalog.slugs()):
        left_out(assignment, say_progress)
    click.echo(f"Spark's class cache is at {made}." if made else "The class cache could not be made; Spark starts without it, slower.")


if __name__ == "__main__":
    main()
