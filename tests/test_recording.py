"""What a recording makes of rows: types, times, and every row and option that it refuses. No Spark is needed."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.authoring import scaffold
from autograder.authoring.recording import length
from autograder.cli.main import main
from autograder.content.catalog import Catalog
from autograder.content.expressions import evaluate
from tests.test_authoring import files, listening, refused


def printed(root: Path, text: str, *options: str, name: str = "s.jsonl", rows: int = 1) -> list[str]:
    """The lines of a fixture recorded from a file with this text."""
    (root / name).write_text(text)
    done = CliRunner().invoke(main, ["record", "--from", name, "--rows", str(rows), *options])
    assert done.exit_code == 0, done.output
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("text", "schema", "cells"),
    [
        ('{"a": 1, "b": 1.5, "c": true, "d": null}', "a BIGINT, b DOUBLE, c BOOLEAN, d STRING", [1, 1.5, True, None]),
        ('{"a": "2024-03-04T11:00:00+01:00", "b": "noon"}', "a TIMESTAMP, b STRING", ["2024-03-04T10:00:00Z", "noon"]),
        ('{"a": "new\\u2028line\\u0085", "b": 3000000000}', "a STRING, b BIGINT", ["new\u2028line\x85", 3_000_000_000]),
        ('{"a": "@ + 1 s"}', "a STRING", ["@ + 1 s"]),
    ],
)
def test_types_are_inferred_from_json(root: Path, text: str, schema: str, cells: list[object]) -> None:
    """Each field gets the type that its values have."""
    header, step = printed(root, text + "\n")

    assert json.loads(header)["sources"] == {"events": schema}
    assert json.loads(step) == {"add": {"events": [cells]}}


def test_types_are_inferred_from_csv(root: Path) -> None:
    """Text becomes numbers only where all of it is; a code with a leading zero stays text, an empty cell is null."""
    text = "n;x;code;flag;note\n1;1;007;true;\n-2;.5;12;FALSE;é\n"

    header, step = printed(root, text, "--delimiter", ";", name="s.csv", rows=2)

    assert json.loads(header)["sources"] == {"events": "n BIGINT, x DOUBLE, code STRING, flag BOOLEAN, note STRING"}
    assert json.loads(step)["add"]["events"] == [[1, 1.0, "007", True, None], [-2, 0.5, "12", False, "é"]]


def test_times_are_read_as_they_are_told(root: Path) -> None:
    """Numbers since the epoch in a unit, and times without a zone in the one that is named."""
    for text, options in (
        ('{"at": 1709546400}', ("--unit", "s")),
        ('{"at": 1709546400000}', ()),
        ('{"at": "2024-03-04 11:00:00"}', ("--zone", "Europe/Stockholm")),
        ('{"at": "2024-03-04 10:00:00"}', ("--zone", "UTC")),
    ):
        assert json.loads(printed(root, text, "--event-time", "at", *options)[0])["start"] == "2024-03-04T10:00:00Z"


def test_lengths_are_read_back() -> None:
    """A length of time is written in the largest unit in which it is whole."""
    for microseconds, text in ((1, "1 us"), (1_500_000, "1500 ms"), (90_000_000, "90 s"), (172_800_000_000, "2 days")):
        assert length(microseconds) == text
        assert evaluate(f"@ + {text}", {}, 5) == 5 + microseconds


VIEW = '{"at": "2024-03-04T10:00:00Z", "kind": "a"}\n'
ROWS: list[tuple[str, str, tuple[str, ...], str]] = [
    ("s.jsonl", VIEW + "{\n", (), "s.jsonl:2: not valid JSON"),
    ("s.jsonl", VIEW + "7\n", (), "s.jsonl:2: 7 is no JSON object.\nFor plain lines: --format lines"),
    ("s.jsonl", VIEW + '{"at": NaN}\n', (), "s.jsonl:2: not valid JSON: NaN is no JSON"),
    ("s.jsonl", VIEW + '{"kind": "a"}\n', (), "s.jsonl:2: there is no field 'at'; there are: kind"),
    ("s.jsonl", VIEW + VIEW.replace('"a"', "7"), (), "s.jsonl:2: column 'kind': 7 is no STRING"),
    ("s.jsonl", VIEW + VIEW.replace('"a"', '"\\ud800"'), (), "s.jsonl:2: column 'kind': .*surrogates not allowed"),
    ("s.jsonl", VIEW + VIEW.replace("Z", ""), (), "s.jsonl:2: column 'at': .* has no time zone; name it: --zone UTC"),
    ("s.jsonl", VIEW + VIEW.replace("2024-03-04T10", "noon"), (), "s.jsonl:2: column 'at': Invalid isoformat string"),
    ("s.jsonl", VIEW + '{"at": 1e300, "kind": ""}', (), "s.jsonl:2: column 'at': "),
    ("s.jsonl", VIEW * 2, ("--schema", "at TIMESTAMP, kind TEXT"), "--schema: .* is no schema"),
    ("s.jsonl", VIEW * 2, ("--schema", "at TIMESTAMP, at TIMESTAMP"), "--schema: .* names a column twice"),
    ("s.jsonl", VIEW * 2, ("--schema", "kind INT"), "s.jsonl:1: column 'kind': \"a\" is no INT"),
    ("s.jsonl", VIEW * 2, ("--event-time", "kind"), "--event-time: 'kind' is no column of type TIMESTAMP .*\nSuch are: at"),
    ("s.jsonl", VIEW * 2, ("--rename", "kind"), "--rename wants FIELD=NAME"),
    ("s.jsonl", VIEW * 2, ("--rename", "page=kind"), "s.jsonl:1: there is no field 'page' to rename"),
    ("s.jsonl", VIEW * 2, ("--rename", "at=kind"), "s.jsonl:1: there is a field 'kind' already"),
    ("s.jsonl", VIEW * 2, ("--every", "5"), "--every '5' is no time that passes"),
    ("s.jsonl", VIEW * 2, ("--zone", "Mars"), "--zone Mars: there is no such time zone"),
    ("s.jsonl", VIEW + VIEW.replace("2024", "2034"), ("--flush",), "--flush: .* span less than 1000 days"),
    ("s.jsonl", VIEW * 2, ("--source", "clicks"), "page_views has no source 'clicks'.\nName one with --source: events"),
    ("s.jsonl", VIEW, (), "s.jsonl ended after 1 of 2 rows; nothing was written.\nAsk for 1 with --rows"),
    ("s.jsonl", "", (), "s.jsonl ended after 0 of 2 rows; nothing was written.\nLook whether it is the right one"),
    ("s.jsonl", VIEW * 2, ("--says", "x"), "the fixture's line 1: says: "),
    ("s.csv", "at,kind\n2024-03-04T10:00:00Z,a,b\n", (), "s.csv:2: the row has 3 cells, the header 2"),
    ("s.csv", "at,at\n1,2\n", (), "s.csv:1: the header names a column twice"),
    ("s.csv", 'at,kind\n"2024,a\n', (), "s.csv:2: not valid CSV"),
    ("s.csv", "at,kind\n", ("--delimiter", "ab"), "--delimiter 'ab' is not one character"),
    ("s.csv", "a" * 1_000_001, (), "s.csv:1: the line is longer than 1000000 characters"),
]


@pytest.mark.parametrize(("name", "text", "options", "message"), ROWS)
def test_record_refuses(root: Path, name: str, text: str, options: tuple[str, ...], message: str) -> None:
    """Every row that does not fit, and every option that means nothing, is told with its place; nothing is written."""
    scaffold.new(Catalog(root), "page_views", "structured")
    (root / name).write_text(text)
    before = files(root)

    said = refused("record", "page_views", "real", "--from", name, "--rows", "2", *options)

    assert re.search(message, said), said
    assert files(root) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("toy", "--from", "x"), "The fixture has no name.\nWrite autograder record toy NAME"),
        (("toy", "A-B", "--from", "x"), "'A-B' is no name for a fixture."),
        (("toy", "secret", "--from", "x"), "fixtures/toy/hidden/secret.jsonl is there already."),
        (("--out", "assignments/toy/toy.py", "--from", "x"), "assignments/toy/toy.py is there already."),
        (("toy", "real", "--from", "x"), "toy has not one source.\nName one with --source: views, lines"),
        (("nothing", "real", "--from", "x"), "There is no assignment called 'nothing'."),
        (("--from", "nowhere.csv"), "nowhere.csv: cannot be read: No such file or directory"),
        (("--from", "fixtures"), "fixtures: cannot be read: Is a directory"),
        (("--from", "socket:9999"), "--from socket:9999: no host and port.\nWrite it as socket:HOST:PORT"),
        (("--from", "kafka:readings"), "--from kafka:readings: no brokers and topic.\nWrite it as kafka:HOST:PORT/TOPIC"),
        (("--from", "kafka:localhost:1/t", "--format", "csv"), "--format csv is for files and sockets."),
        (("--from", "kafka:127.0.0.1:1/t", "--wait", "0.2"), "kafka:127.0.0.1:1: .*\nIs Kafka running there"),
        (("--from", "x.csv", "--drive", "kafka"), "x.csv: cannot be read"),
    ],
)
def test_record_refuses_its_arguments(root: Path, arguments: tuple[str, ...], message: str) -> None:
    """What cannot be read or written is told before anything is."""
    assert re.search(message, refused("record", "--rows", "2", *arguments))


def test_a_socket_that_nobody_feeds(root: Path, unused_port: Callable[[], int]) -> None:
    """A stream that falls silent, sends no text, or is not there is told; the wait is bounded."""
    with listening(VIEW) as address:
        silent = refused("record", "--from", address, "--rows", "2", "--wait", "0.1")
    gone = refused("record", "--from", f"socket:127.0.0.1:{unused_port()}", "--rows", "2")

    assert "a socket was silent for 0.1 seconds after 1 of 2 rows; nothing was written.\nAsk for 1 with --rows, or wait longer" in silent
    assert "Connection refused\nStart first what sends the stream." in gone


@pytest.fixture
def unused_port() -> Callable[[], int]:
    """A port on which nobody listens."""

    def find() -> int:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])

    return find


def test_bytes_that_are_no_text(root: Path) -> None:
    """A file that is not UTF-8 is told with a line near it."""
    (root / "s.csv").write_bytes(b"at,kind\n1,\xff\n")

    assert re.search(r"s.csv:\d: or soon after it: not UTF-8", refused("record", "--from", "s.csv", "--rows", "1"))
