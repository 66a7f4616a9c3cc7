"""The verbs with which an instructor makes an assignment of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from autograder import engines
from autograder.cli.console import examples, say
from autograder.model import KitError


@click.command(epilog=examples("new page_views --engine structured", 'new my_kafka --engine kafka --title "Counting records"'))
@click.argument("slug")
@click.option("--engine", default="structured", metavar="ENGINE", help=f"What its function runs on: {', '.join(engines.names())}.")
@click.option("--title", help="Its title; made from SLUG when left out.")
def new(slug: str, engine: str, title: str | None) -> None:
    """Make a small assignment that works.

    Writes manifest, solution, fixtures, right and wrong answers of a new assignment SLUG, from templates/new/ENGINE. `verify`
    accepts it at once; change it from there. Nothing is written when something is wrong.
    """
    from autograder.authoring import scaffold
    from autograder.content.catalog import Catalog, find_root

    for path in scaffold.new(Catalog(find_root()), slug, engine, title):
        say(f"wrote {path}")
    click.echo(f"Change it, then run:  autograder build {slug}  and  autograder verify {slug}")


_FILE = click.Path(path_type=Path, dir_okay=False)
_SOURCES = (
    click.option("--from", "origin", required=True, metavar="ORIGIN", help="A file, socket:HOST:PORT or kafka:HOST:PORT/TOPIC."),
    click.option("--rows", required=True, type=click.IntRange(1, 10_000), help="How many rows to record, from the first on."),
    click.option("--format", "form", type=click.Choice(["csv", "json", "lines"]), help="What a line or a Kafka value is."),
    click.option("--delimiter", default=",", help="What parts the cells of CSV."),
    click.option("--wait", default=30.0, type=click.FloatRange(0.01, 3600), help="Seconds that a live stream may be silent."),
)
_ROWS = (
    click.option("--schema", metavar="DDL", help="Columns to take: 'at TIMESTAMP, page STRING'; else as in the assignment."),
    click.option("--rename", multiple=True, metavar="FIELD=NAME", help="Make a field of the stream a column of that name."),
    click.option("--nulls", is_flag=True, help="Take a field that a row does not have as null."),
    click.option("--event-time", metavar="COLUMN", help="The column with the event time; left out where only one is a time."),
    click.option("--zone", metavar="NAME", help="The time zone of times that have none."),
    click.option("--unit", type=click.Choice(["s", "ms", "us"]), default="ms", help="What a number counts, where a time is meant."),
)
_BATCHES = (
    click.option("--batch", default=10, type=click.IntRange(1), help="How many rows arrive together."),
    click.option("--every", metavar="DURATION", help="Instead: the rows of each '5 seconds' arrive together, by --arrival."),
    click.option("--arrival", metavar="COLUMN", help="When a row arrived; else the Kafka record's time, or the event time."),
)
_WRITING = (
    click.option("--source", default="", metavar="NAME", help="The stream's name, where the assignment has several."),
    click.option("--drive", metavar="NAME", help=f"How it is replayed: {', '.join(engines.drives())}."),
    click.option("--relative", is_flag=True, help="Write times as @ + …, from the first event time on."),
    click.option("--flush", is_flag=True, help="End with a far-future row, so that append mode gives up its windows."),
    click.option("--says", default="", help="What the fixture is, in a line."),
    click.option("--hidden/--visible", default=False, help="Whether students see it."),
    click.option("--out", type=_FILE, help="Write this file instead."),
)


def _with(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Options in the order in which help shows them."""

    def add(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return add


@click.command(
    epilog=examples(
        "record page_views real --from views.csv --rows 100 --rename time=at --rename page=kind --flush",
        "record page_views live --from socket:localhost:9999 --rows 50 --wait 60 --hidden",
        'record page_views topic --from kafka:localhost:9092/views --rows 200 --rename timestamp=at --every "5 seconds"',
        "record --from views.jsonl --rows 20 --out views_fixture.jsonl",
    )
)
@click.argument("slug", required=False)
@click.argument("fixture", required=False)
@_with(*_SOURCES, *_ROWS, *_BATCHES, *_WRITING)
def record(slug: str | None, fixture: str | None, origin: str, **options: Any) -> None:
    """Turn a live stream into a fixture.

    Reads rows from ORIGIN and writes them, with their event times and arrival batches, as the fixture FIXTURE of SLUG: a stream
    that is replayed the same for ever. Without SLUG it is printed, or written to --out.

    Rows are CSV with a header, JSON objects or plain lines. A Kafka record also has key, value, topic, partition, offset and
    timestamp, as in Spark's Kafka source. For a function on brokers the records are taken as they are. Nothing is written when
    a row does not fit.
    """
    from autograder.authoring.columns import Plan, schema_of
    from autograder.authoring.recording import summary
    from autograder.authoring.streams import Reading
    from autograder.authoring.streams import origin as origin_of
    from autograder.authoring.target import Target, record_stream

    reading = Reading(origin_of(origin), *(options.pop(name) for name in ("rows", "form", "delimiter", "wait")))
    target = Target(slug, fixture, options.pop("hidden"), options.pop("out"))
    options |= {"rename": _renames(options["rename"]), "schema": schema_of(options["schema"]), "drive_name": options.pop("drive")}
    found, path = record_stream(reading, Plan(**options), target)
    if path is None:
        click.echo(found.text, nl=False)
    for line in summary(found):
        say(line, err=path is None)
    if path is not None:
        say(f"wrote {path}")
    if slug and path is not None and target.out is None:
        click.echo(f'Name it in a check of {slug}: fixtures = ["{fixture}"], then run:  autograder verify {slug}')


def _renames(given: tuple[str, ...]) -> dict[str, str]:
    pairs = dict(text.partition("=")[::2] for text in given)
    if any(not new or not old for old, new in pairs.items()) or len(set(pairs.values())) < len(given):
        raise KitError("--rename wants FIELD=NAME, each name once.", "For example: --rename scheduled_at=at")
    return pairs
