"""The verb that makes what students get."""

from __future__ import annotations

from pathlib import Path

import click

from autograder.cli.console import examples, say


@click.command(
    epilog=examples(
        "release watermarks --out course",
        "release watermarks --out course --zip --git",
        "release watermarks --student ada --out ada",
    )
)
@click.argument("slugs", nargs=-1, required=True)
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder to make; a new one, or a release's.")
@click.option("--zip", "zipped", is_flag=True, help="Make OUT.zip too.")
@click.option("--git", "repository", is_flag=True, help="Make OUT a git repository with one commit, for a template.")
@click.option("--student", metavar="ID", help="Make it with this student's variants.")
@click.option(
    "--secret", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="The course's secret (else AUTOGRADER_SECRET)."
)
def release(  # noqa: PLR0913, PLR0917  # options
    slugs: tuple[str, ...], out: Path, zipped: bool, repository: bool, student: str | None, secret: Path | None
) -> None:
    """Make what students get, with nothing hidden in it.

    Skeletons, handouts and visible fixtures of SLUGS, the answers to the visible checks, the engine as a wheel, pinned
    requirements and a Makefile: `make setup`, then `make check`.
    """
    from autograder.authoring import packing
    from autograder.content import variants
    from autograder.content.catalog import Catalog, find_root

    catalog = Catalog(find_root())
    key = variants.course_secret(secret) if student is not None else b""
    drawn = {slug: variants.draw(key, catalog.assignment(slug), student) for slug in slugs} if student is not None else {}
    for line in packing.release(catalog, slugs, out, drawn, zipped=zipped, repository=repository):
        say(line)
