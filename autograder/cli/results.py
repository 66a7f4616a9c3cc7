"""The verbs that carry results to other systems: ``export`` and ``ci``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from autograder.cli.console import examples, say

_FORMATS = ("classroom50", "csv", "github", "gradescope", "junit", "markdown")
_SYSTEMS = ("github", "gitlab", "gradescope", "classroom50")


@click.command(
    epilog=examples(
        "export gradescope graded/watermarks/alice/report.json --out results.json",
        'export markdown graded >> "$GITHUB_STEP_SUMMARY"',
        "export csv graded --out grades.csv",
    )
)
@click.argument("name", metavar="FORMAT", type=click.Choice(_FORMATS))
@click.argument("reports", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("--out", default="-", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), help="File to write; - prints it.")
def export(name: str, reports: tuple[Path, ...], out: Path) -> None:
    """Write graded reports in another format.

    FORMAT is classroom50, csv, github, gradescope, junit or markdown. REPORTS are report.json files that `grade` wrote, or folders
    with such files. Nothing of hidden checks but name, outcome and points is written, also from an instructor.json.

    Exit code 3: a report is undecided because the grader failed; it is never written as a zero.
    """
    from autograder.integrations import export as exporting

    exported = exporting.export(name, reports, os.environ)
    if exported.text is None:
        click.echo("The grader failed, so nothing is decided and no result is written.", err=True)
    elif str(out) == "-":
        sys.stdout.buffer.write(exported.text.encode())
    else:
        exporting.write(exported.text, out)
    sys.exit(0 if exported.decided else 3)


@click.command(
    epilog=examples("ci gradescope watermarks --out gradescope", "ci github --out .", "ci gitlab output_modes watermarks --out .")
)
@click.argument("system", type=click.Choice(_SYSTEMS))
@click.argument("slugs", nargs=-1)
@click.option("--out", default=".", type=click.Path(path_type=Path, file_okay=False), help="Folder to write to.")
@click.option(
    "--sandbox",
    type=click.Choice(["bubblewrap", "none"]),
    default="bubblewrap",
    help="What confines submissions there. none: nothing does, and a submission can read and change what the grader can.",
)
@click.option("--variants", is_flag=True, help="Each student is graded with their own variant, drawn from AUTOGRADER_SECRET there.")
@click.option(
    "--secret", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="With --variants on gradescope: the course's secret."
)
def ci(  # noqa: PLR0913, PLR0917  # options
    system: str, slugs: tuple[str, ...], out: Path, sandbox: str, variants: bool, secret: Path | None
) -> None:
    """Write the files with which another system grades.

    SYSTEM is github or gitlab (a workflow for the repository of the kit), gradescope (autograder.zip) or classroom50 (a folder
    for each assignment). For all SLUGS when none is named. docs/results.md says where the files belong.
    """
    from autograder.content.catalog import Catalog, find_root
    from autograder.content.variants import course_secret
    from autograder.integrations import ci

    key = course_secret(secret) if variants and secret else None
    for path in ci.write(ci.files(Catalog(find_root()), system, slugs, ci.How(sandbox, variants, key)), out):
        if "kit" not in path.relative_to(out).parts:
            say(f"wrote {path}")
