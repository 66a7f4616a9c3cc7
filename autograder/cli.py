"""The verbs of the command line. No logic: each hands over to the module that does the work."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from autograder.cli_authoring import new, record
from autograder.cli_kafka import kafka
from autograder.cli_nbgrader import nbgrader
from autograder.cli_release import release
from autograder.cli_results import ci, export
from autograder.model import KitError, Report
from autograder.terminal_output import colored, echo, examples, say, say_progress

_PARAM = click.option("--param", "-p", "given", multiple=True, metavar="NAME=VALUE", help="Grade with another value of a parameter.")

_SECRET = click.option(
    "--secret",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="File with the course's secret (else AUTOGRADER_SECRET).",
)


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

    Students run `check`, instructors `grade`, authors `new`, `record`, `build` and `verify`.
    """
    if _system() == "nt":  # told before anything is imported that is not there
        raise KitError("autograder runs on Linux and macOS.", "On Windows run it in WSL2.")


def _system() -> str:
    return os.name


main.add_command(kafka)
main.add_command(nbgrader)
main.add_command(release)
main.add_command(export)
main.add_command(ci)
main.add_command(new)
main.add_command(record)


@main.command("list", epilog=examples("list"))
def list_() -> None:
    """List the assignments with their points."""
    from autograder.catalog import Catalog, find_root

    catalog = Catalog(find_root())
    for slug in catalog.slugs():
        assignment = catalog.assignment(slug)
        click.echo(f"{slug:20} {assignment.max_points:3} points  {assignment.title}: {assignment.summary}")


@main.command(epilog=examples("check watermarks", "check watermarks my/watermarks.py --strict", 'check watermarks -p "window=30 minutes"'))
@click.argument("slug")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True, help="Exit with 1 unless every visible check passes (for CI).")
@_PARAM
def check(slug: str, file: Path | None, strict: bool, given: tuple[str, ...]) -> None:
    """Say what is wrong with a submission.

    Runs the visible checks of SLUG on FILE: a module, a notebook, or a folder with SLUG.py or SLUG.ipynb (this one when none is named).
    """
    from autograder import commands

    report = commands.check(slug, file or Path(), _pairs(given), say_progress)
    _show(report)
    click.echo("The hidden checks are run when your submission is graded.")
    sys.exit(_fault_code(report) or (1 if strict and report.points < report.max_points else 0))


@main.command(epilog=examples("grade watermarks submissions/*.py", "grade watermarks alice.py --out marks"))
@click.argument("slug")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", default="graded", type=click.Path(path_type=Path, file_okay=False), help="Folder of the reports.")
@click.option("--quiet", is_flag=True, help="Print one line a submission instead of the reports.")
@click.option(
    "--sandbox",
    type=click.Choice(["bubblewrap", "none"]),
    default="bubblewrap",
    help="What confines submissions. none: nothing does, and the report says so; for files that you trust.",
)
@click.option("--variants", is_flag=True, help="Grade each file with the variant of the student whose id it is named after, or its folder.")
@_SECRET
@_PARAM
def grade(  # noqa: PLR0913, PLR0917  # options
    slug: str,
    files: tuple[Path, ...],
    out: Path,
    quiet: bool,
    sandbox: str,
    variants: bool,
    secret: Path | None,
    given: tuple[str, ...],
) -> None:
    """Grade submissions and write their reports.

    Runs all checks of SLUG, the hidden ones too, on every FILE, confined: without the disk, the network and other processes.
    Of a folder its SLUG.py is graded, or SLUG.ipynb where there is only that.

    For every submission OUT/SLUG/NAME gets report.json and junit.xml (which a student may see) and
    instructor.json (with the hidden checks' data). Exit code 0: graded, whatever the marks; 3: the grader failed.
    """
    from autograder import commands
    from autograder.variants import course_secret

    code = 0
    key = course_secret(secret) if variants else None
    for report, folder in commands.grade(slug, files, out, _pairs(given), say_progress, confined=sandbox != "none", secret=key):
        if quiet:
            say(f"{report.submission}: {report.points:g} of {report.max_points} points")
        else:
            _show(report)
            say(f"Written to {folder}\n")
        code = max(code, _fault_code(report))
    sys.exit(code)


@main.command(epilog=examples("variant watermarks --student ada", "variant watermarks --student ada --out ada --secret course.key"))
@click.argument("slug")
@click.option("--student", required=True, metavar="ID", help="The student's id, as it is used whenever this student is graded.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Write handout, skeleton and variant.toml here.")
@_SECRET
def variant(slug: str, student: str, out: Path | None, secret: Path | None) -> None:
    """Draw a student's own parameters.

    They come from the course's secret and the ID: the same for ever, and stored nowhere. `grade --variants` draws them again.
    """
    from autograder import commands
    from autograder.variants import course_secret

    found, written = commands.variant(slug, student, course_secret(secret), out)
    for name, value in found.parameters.items():
        click.echo(f"{name} = {value}")
    for path in written:
        say(f"wrote {path}", err=True)


@main.command(epilog=examples("hint watermarks", "hint watermarks late_inside -n 2"))
@click.argument("slug")
@click.argument("check_id", metavar="[CHECK]", required=False)
@click.option("--number", "-n", default=1, help="How many of its hints to show.", show_default=True)
def hint(slug: str, check_id: str | None, number: int) -> None:
    """Show the hints of a check.

    Shows the first hint for CHECK of SLUG, or as many as asked for; without CHECK, what checks there are.
    """
    from autograder import commands

    click.echo(commands.hint(slug, check_id, number))


@main.command(epilog=examples("verify", "verify watermarks"))
@click.argument("slugs", nargs=-1)
def verify(slugs: tuple[str, ...]) -> None:
    """Prove assignments: right passes, wrong fails.

    Skeletons must get 0, right answers all points, and every planted mistake must be caught by the checks it names.
    All SLUGS when none is named.

    Exit code 1 when something breaks, with what to do.
    """
    from autograder import commands

    found = commands.verify(slugs, click.echo, say_progress)
    sys.exit(1 if found else 0)


@main.command(epilog=examples("demo", "demo watermarks"))
@click.argument("slugs", nargs=-1)
@click.option("--out", default="graded/demo", type=click.Path(path_type=Path, file_okay=False), help="Folder of the reports.")
def demo(slugs: tuple[str, ...], out: Path) -> None:
    """Grade the samples that ship with the kit.

    For each assignment one right, one half right and one wrong submission. All SLUGS when none is named. The function for
    Spark of kafka_setup also runs, outside the marks, on Spark's real Kafka source.
    """
    from autograder import commands

    code, rows = 0, []
    for report, folder in commands.demo(slugs, out, say_progress):
        _show(report)
        click.echo("")
        rows.append(f"{report.slug:20} {report.submission:16} {report.points:g} of {report.max_points} points   {folder}")
        code = max(code, _fault_code(report))
    for line in commands.lives(slugs, say_progress):
        say(line)
    say("\n".join(rows))
    sys.exit(code)


@main.command(epilog=examples("build watermarks", "build --check"))
@click.argument("slugs", nargs=-1)
@click.option("--check", "only_check", is_flag=True, help="Change nothing; exit with 1 when a file is stale.")
def build(slugs: tuple[str, ...], only_check: bool) -> None:
    """Write skeletons and handouts.

    They are made from solutions and templates, for all SLUGS when none is named.
    """
    from autograder import commands

    changed = commands.build(slugs, write=not only_check)
    for path in changed:
        say(f"{'stale' if only_check else 'wrote'} {path}")
    sys.exit(1 if only_check and changed else 0)


@main.command(epilog=examples("doctor"))
def doctor() -> None:
    """Say what this machine offers.

    Java, sandbox, Kafka, cores, memory and caches, and how to mend what is missing. Exit code 1 when `grade` cannot work here.
    """
    from autograder import doctor

    findings = doctor.examine()
    for finding in findings:
        echo(f"{'✔' if finding.good else '✘'} {finding.name:12} {finding.says}")
        if finding.mend:
            echo(f"  {'':12} {finding.mend}")
    sys.exit(0 if all(finding.good or not finding.needed for finding in findings) else 1)


@main.command(epilog=examples("warm"))
def warm() -> None:
    """Make the class caches and fetch Kafka.

    Once on a machine; `check` and `grade` do it themselves when something is missing.
    """
    from autograder import commands

    click.echo(commands.warm(say_progress))


def _pairs(given: tuple[str, ...]) -> dict[str, str]:
    pairs = dict(text.partition("=")[::2] for text in given)
    if any("=" not in text for text in given):
        raise KitError("--param wants NAME=VALUE.", 'For example: --param "window=30 minutes"')
    return pairs


def _fault_code(report: Report) -> int:
    return 0 if report.decided else 3


def _show(report: Report) -> None:
    from autograder.reports import terminal

    styles: dict[str, dict[str, object]] = {"bold": {"bold": True}, "dim": {"dim": True}}
    color = colored(sys.stdout)
    for line in terminal.lines(report):
        style = styles.get(line.style, {"fg": line.style} if line.style else {})
        echo(click.style(line.text, **style) if color and style else line.text)  # type: ignore[arg-type]  # names of click's styles


if __name__ == "__main__":
    main()
