"""The verbs that prove and build assignments: ``verify``, ``strength`` and ``build``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from autograder.cli.console import examples, say, say_progress
from autograder.cli.options import SECRET


@click.command(epilog=examples("verify", "verify watermarks"))
@click.argument("slugs", nargs=-1)
@click.option("--student", metavar="ID", help="Prove this student's variants.")
@SECRET
def verify(slugs: tuple[str, ...], student: str | None, secret: Path | None) -> None:
    """Prove assignments: right passes, wrong fails.

    Skeletons must get 0, right answers all points, and every planted mistake must be caught by the checks it names.
    All SLUGS when none is named.

    Exit code 1 when something breaks, with what to do.
    """
    from autograder.authoring.verify import verify_all
    from autograder.content.catalog import Catalog, find_root
    from autograder.content.variants import course_secret

    key = course_secret(secret) if student is not None else b""
    problems = verify_all(Catalog(find_root()), slugs, click.echo, say_progress, (key, student) if student is not None else None)
    sys.exit(1 if problems else 0)


@click.command(epilog=examples("strength watermarks", "strength watermarks --students 100", "strength watermarks --write equal_times"))
@click.argument("slugs", nargs=-1)
@click.option("--students", default=0, type=click.IntRange(0, 100_000), help="Try the variants of so many students, not the defaults.")
@click.option("--write", "fixture", metavar="NAME", help="Write the first stream that tells one as hidden fixture NAME.")
@click.option("--real", is_flag=True, help="Replay mutants of the solution's source on real Spark and Kafka.")
def strength(slugs: tuple[str, ...], students: int, fixture: str | None, real: bool) -> None:
    """List wrong programs that no check catches, and claims that the data do not show.

    Wrong programs are made from the right one by rule: another delay, another key, rows left out, and many more, one and two at a time.
    For each there is the smallest stream found that tells it. A claim is a word such as "late" in a check or a fixture whose rows have
    none, or a parameter that is the same in every call. Nothing is replayed; all SLUGS when none is named.

    With --real the source of the solution is changed instead, in one place at a time, and replayed on Spark and Kafka: that takes minutes.

    Exit code 1 when there is one. Name in solutions/SLUG/equivalent.toml, with the reason, what is the same program by the rules.
    """
    from autograder.authoring import strength_report
    from autograder.content.catalog import Catalog, find_root

    if real:
        weak = strength_report.report_real(Catalog(find_root()), slugs, say, say_progress)
    else:
        weak = strength_report.report(Catalog(find_root()), slugs, students, fixture, say)
    sys.exit(1 if weak else 0)


@click.command(epilog=examples("build watermarks", "build --check"))
@click.argument("slugs", nargs=-1)
@click.option("--check", "only_check", is_flag=True, help="Change nothing; exit with 1 when a file is stale.")
def build(slugs: tuple[str, ...], only_check: bool) -> None:
    """Write skeletons and handouts.

    They are made from solutions and templates, for all SLUGS when none is named.
    """
    from autograder.authoring.generated import build as build_all
    from autograder.content.catalog import Catalog, find_root

    changed = build_all(Catalog(find_root()), slugs, write=not only_check)
    for path in changed:
        say(f"{'stale' if only_check else 'wrote'} {path}")
    sys.exit(1 if only_check and changed else 0)
