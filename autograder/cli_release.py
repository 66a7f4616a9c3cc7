"""The verb that makes what students get."""

from __future__ import annotations

from pathlib import Path

import click

from autograder.terminal_output import examples


@click.command(epilog=examples("release watermarks --out course", "release watermarks output_modes --out course --zip --git"))
@click.argument("slugs", nargs=-1, required=True)
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder to make; a new one, or a release's.")
@click.option("--zip", "zipped", is_flag=True, help="Make OUT.zip too.")
@click.option("--git", "repository", is_flag=True, help="Make OUT a git repository with one commit, for a template.")
def release(slugs: tuple[str, ...], out: Path, zipped: bool, repository: bool) -> None:
    """Make what students get, with nothing hidden in it.

    Skeletons, handouts and visible fixtures of SLUGS, the answers to the visible checks, the engine as a wheel, pinned
    requirements and a Makefile: `make setup`, then `make check`.
    """
    from autograder.authoring import packing
    from autograder.catalog import Catalog, find_root

    for line in packing.release(Catalog(find_root()), slugs, out, zipped=zipped, repository=repository):
        click.echo(line)
