"""The verbs that give marks: ``grade``, and ``variant`` for what a student is graded with."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from autograder.cli.console import examples, say, say_progress
from autograder.cli.options import PARAM, SECRET, fault_code, pairs, show


@click.command(epilog=examples("grade watermarks submissions/*.py", "grade watermarks alice.py --out marks"))
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
@click.option("--student", metavar="ID", help="Whose the file is; else what it is called, or its folder.")
@click.option("--roster", type=click.Path(path_type=Path, dir_okay=False, exists=True), help="CSV of the students: student, perhaps file.")
@click.option("--variants", is_flag=True, help="Grade each file with its student's variant.")
@SECRET
@PARAM
def grade(  # noqa: PLR0913, PLR0917  # options
    slug: str,
    files: tuple[Path, ...],
    out: Path,
    quiet: bool,
    sandbox: str,
    student: str | None,
    roster: Path | None,
    variants: bool,
    secret: Path | None,
    given: tuple[str, ...],
) -> None:
    """Grade submissions and write their reports.

    Runs all checks of SLUG, the hidden ones too, on every FILE, confined: without the disk, the network and other processes.
    Of a folder its SLUG.py is graded, or SLUG.ipynb where there is only that.

    For every student OUT/SLUG/STUDENT gets report.json and junit.xml (which a student may see) and
    instructor.json (with the hidden checks' data). Exit code 0: graded, whatever the marks; 3: the grader failed.
    """
    from autograder.content.catalog import Catalog, find_root
    from autograder.content.variants import course_secret
    from autograder.grading.answer_key import AnswerKey
    from autograder.grading.batch import grade_all
    from autograder.grading.session import Session
    from autograder.reports.folder import write
    from autograder.reports.terminal import one_line, result
    from autograder.submission.locate import folder_name, handed_in, read_roster

    answer_key = AnswerKey.load(Catalog(find_root()), slug).complete()
    found = handed_in(files, answer_key.assignment, student, read_roster(roster) if roster else None)
    session = Session(answer_key, course_secret(secret) if variants else None, pairs(given), progress=say_progress)
    code = 0
    for graded in grade_all(session, found, confined=sandbox != "none", others=[out]):
        report, folder = graded.report, out / slug / folder_name(graded.report.student)
        write(report, folder, graded.seconds)
        if quiet:
            say(f"{one_line(report.student)}: {result(report)}")
        else:
            show(report)
            say(f"Written to {folder}\n")
        code = max(code, fault_code(report))
    sys.exit(code)


@click.command(epilog=examples("variant watermarks --student ada", "variant watermarks --student ada --out ada --secret course.key"))
@click.argument("slug")
@click.option("--student", required=True, metavar="ID", help="The student's id, as it is used whenever this student is graded.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Write handout, skeleton and variant.toml here.")
@SECRET
def variant(slug: str, student: str, out: Path | None, secret: Path | None) -> None:
    """Draw a student's own parameters.

    They come from the course's secret and the ID: the same for ever, and stored nowhere. `grade --variants` draws them again.
    """
    from autograder.authoring.variant_files import write_variant
    from autograder.content.catalog import Catalog, find_root
    from autograder.content.variants import course_secret

    found, written = write_variant(Catalog(find_root()), slug, student, course_secret(secret), out)
    for name, value in found.parameters.items():
        click.echo(f"{name} = {value}")
    for path in written:
        say(f"wrote {path}", err=True)
