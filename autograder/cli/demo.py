"""The verb ``demo``: grade the samples that ship with the kit."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from autograder.cli.console import examples, say, say_progress
from autograder.cli.options import fault_code, show


@click.command(epilog=examples("demo", "demo watermarks"))
@click.argument("slugs", nargs=-1)
@click.option("--out", default="graded/demo", type=click.Path(path_type=Path, file_okay=False), help="Folder of the reports.")
def demo(slugs: tuple[str, ...], out: Path) -> None:
    """Grade the samples that ship with the kit.

    For each assignment one right, one half right and one wrong submission, of all SLUGS when none is named: a line each, and one
    report in full. The function for Spark of kafka_setup also runs, outside the marks, on Spark's real Kafka source.
    """
    from autograder.authoring.demo import grade_samples, on_spark_source, showpiece
    from autograder.content.catalog import Catalog, find_root
    from autograder.reports.terminal import result

    catalog = Catalog(find_root())
    graded = list(grade_samples(catalog, slugs, out, say_progress))
    for report, folder in graded:
        say(f"{report.slug:20} {report.submission:16} {result(report):18} {folder / 'report.txt'}")
    if chosen := showpiece([report for report, _ in graded]):
        say("\nOne of these reports:\n")
        show(chosen)
    for line in on_spark_source(catalog, slugs, say_progress):
        say(line)
    sys.exit(max((fault_code(report) for report, _ in graded), default=0))
