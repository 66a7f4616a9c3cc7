"""The verbs of ``autograder nbgrader``: a course that nbgrader's own commands work on."""

from __future__ import annotations

from pathlib import Path

import click

from autograder.cli.console import examples, say


@click.group(epilog=examples("nbgrader init course watermarks"))
def nbgrader() -> None:
    """Grade with nbgrader.

    Its commands and its gradebook stay as they are; the marks come from the replay.
    """


@nbgrader.command(epilog=examples("nbgrader init course", "nbgrader init course watermarks output_modes"))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.argument("slugs", nargs=-1)
def init(folder: Path, slugs: tuple[str, ...]) -> None:
    """Write a course of nbgrader.

    Its configuration, and a source notebook for each of SLUGS (all when none is named). What is there already is kept.
    """
    from autograder.authoring.nbgrader_course import write_course
    from autograder.content.catalog import Catalog, find_root

    written = write_course(Catalog(find_root()), folder, slugs)
    for path in written:
        say(f"wrote {path}", err=True)
    say(f"In {folder}: nbgrader generate_assignment SLUG; then put notebooks into submitted/STUDENT/SLUG/ and: nbgrader autograde SLUG")
