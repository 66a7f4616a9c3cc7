"""Where a recording reads: a file, a socket, a Kafka topic. Each gives entries one by one, and says when it falls silent."""

from __future__ import annotations

import csv
import heapq
import json
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal, NoReturn

from autograder.content.expressions import iso
from autograder.content.fixtures import SCALAR
from autograder.model import KitError

Form = Literal["csv", "json", "lines"]
_SUFFIXES: dict[str, Form] = {".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".txt": "lines", ".log": "lines"}
_LONGEST_LINE = 1_000_000


@dataclass(frozen=True)
class Entry:
    """One row as it was read, and where. ``typed`` is false where all is text.

    Of Kafka: ``more`` is what Spark's Kafka source has as columns, ``arrived`` the record's time in microseconds since the epoch,
    ``partitions`` how many the topic has.
    """

    where: str
    fields: Mapping[str, Any]
    more: Mapping[str, Any] = field(default_factory=dict)
    typed: bool = True
    arrived: int | None = None
    partitions: int = 0

    def has(self, name: str) -> bool:
        """Whether there is such a field, be it null."""
        return name in self.fields or name in self.more

    def get(self, name: str) -> Any:
        """The field's value; what a record holds goes before what Kafka knows of it."""
        return self.fields[name] if name in self.fields else self.more.get(name)


@dataclass(frozen=True)
class Origin:
    """What ``--from`` names. ``name`` is how a fixture may call it: without folders and hosts."""

    kind: Literal["file", "socket", "kafka"]
    name: str
    path: Path = Path()
    address: tuple[str, int] = ("", 0)
    bootstrap: str = ""
    topic: str = ""


def origin(text: str) -> Origin:
    """What ``--from`` names: a file, ``socket:HOST:PORT`` or ``kafka:BOOTSTRAP/TOPIC``. Raises KitError for what is none."""
    kind, _, rest = text.partition(":")
    if kind == "socket":
        host, _, port = rest.rpartition(":")
        if host and port.isdecimal() and 0 < int(port) < 1 << 16:
            return Origin("socket", "a socket", address=(host.strip("[]"), int(port)))
        raise KitError(f"--from {text}: no host and port.", "Write it as socket:HOST:PORT, for example socket:localhost:9999.")
    if kind == "kafka":
        bootstrap, _, topic = rest.rpartition("/")
        if bootstrap and topic:
            return Origin("kafka", f"the Kafka topic {topic}", bootstrap=bootstrap, topic=topic)
        raise KitError(f"--from {text}: no brokers and topic.", "Write it as kafka:HOST:PORT/TOPIC: kafka:localhost:9092/readings.")
    return Origin("file", Path(text).name, path=Path(text))


@dataclass(frozen=True)
class Reading:
    """What to read: so many rows, in a format (None: what the origin suggests). A live stream may be silent for ``wait`` seconds."""

    origin: Origin
    rows: int
    form: Form | None = None
    delimiter: str = ","
    wait: float = 30

    def form_for(self, single: bool) -> Form:
        """The format: by a file's suffix where none is named; else lines where ``single`` values are asked for, or JSON."""
        return self.form or _SUFFIXES.get(self.origin.path.suffix.lower(), "lines" if single else "json")


def take(reading: Reading, form: Form) -> list[Entry]:
    """So many entries. Raises KitError when fewer come, or for what cannot be read."""
    origin, rows, delimiter, wait = reading.origin, reading.rows, reading.delimiter, reading.wait
    if len(delimiter) != 1:
        raise KitError(f"--delimiter {delimiter!r} is not one character.", "For example: --delimiter ';'.")
    read: dict[str, Callable[[], Iterator[Entry]]] = {
        "file": lambda: _from_file(origin, form, delimiter),
        "socket": lambda: _from_socket(origin, form, delimiter, wait),
        "kafka": lambda: _from_kafka(origin, rows, form, wait),
    }
    found, how = list[Entry](), "ended"
    try:
        with closing(read[origin.kind]()) as entries:  # type: ignore[type-var]  # they are generators
            found.extend(islice(entries, rows))
    except TimeoutError:
        how = f"was silent for {wait:g} seconds"
    if len(found) < rows:
        _too_few(origin, how, len(found), rows)
    return found


def _too_few(origin: Origin, how: str, found: int, rows: int) -> NoReturn:
    fewer = f"Ask for {found} with --rows" if found else "Look whether it is the right one"
    longer = "." if origin.kind == "file" else ", or wait longer with --wait SECONDS."
    where = origin.path if origin.kind == "file" else origin.name
    raise KitError(f"{where} {how} after {found} of {rows} rows; nothing was written.", fewer + longer)


def _from_file(origin: Origin, form: Form, delimiter: str) -> Iterator[Entry]:
    try:
        with origin.path.open(encoding="utf-8-sig", newline="") as file:
            yield from parsed(_lines(file, f"{origin.path}:"), form, f"{origin.path}:", delimiter)
    except OSError as error:
        raise KitError(f"{origin.path}: cannot be read: {error.strerror}", "Give the path of a file that you may read.") from error


def _from_socket(origin: Origin, form: Form, delimiter: str, wait: float) -> Iterator[Entry]:
    try:
        with socket.create_connection(origin.address, wait) as found, found.makefile(encoding="utf-8", newline="") as file:
            yield from parsed(_lines(file, "socket, line "), form, "socket, line ", delimiter)
    except TimeoutError:
        raise
    except OSError as error:
        host, port = origin.address
        raise KitError(f"socket:{host}:{port}: {error.strerror or error}", "Start first what sends the stream.") from error


def _lines(file: IO[str], where: str) -> Iterator[str]:
    """The lines with their ends, none longer than a row can be."""
    number = 0
    while True:
        number += 1
        try:
            line = file.readline(_LONGEST_LINE)
        except UnicodeDecodeError as error:
            raise KitError(f"{where}{number}: or soon after it: not UTF-8: {error.reason}", "Save or send the stream as UTF-8.") from error
        if not line:
            return
        if len(line) == _LONGEST_LINE:
            raise KitError(f"{where}{number}: the line is longer than {_LONGEST_LINE} characters.", "A row stands on a line of its own.")
        yield line


def parsed(lines: Iterator[str], form: Form, where: str, delimiter: str = ",") -> Iterator[Entry]:
    """The entries of lines of text: CSV with a header, a JSON object a line, or plain lines. Raises KitError with the line."""
    if form == "csv":
        yield from _csv(lines, where, delimiter)
        return
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r\n")
        if form == "lines":
            yield Entry(f"{where}{number}", {SCALAR: text}, typed=False)
        elif text.strip():
            yield Entry(f"{where}{number}", json_object(text, f"{where}{number}"))


def _csv(lines: Iterator[str], where: str, delimiter: str) -> Iterator[Entry]:
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    header: list[str] = []
    number = 1
    try:
        for cells in reader:
            if header and cells:
                _same_length(cells, header, f"{where}{number}")
                yield Entry(f"{where}{number}", {n: c or None for n, c in zip(header, cells, strict=True)}, typed=False)
            header = header or _csv_header(cells, f"{where}{number}")
            number = reader.line_num + 1
    except csv.Error as error:
        raise KitError(f"{where}{number}: not valid CSV: {error}", "Fix the line; a cell with quotes or line ends is quoted.") from error


def _csv_header(cells: list[str], where: str) -> list[str]:
    names = [" ".join(cell.split()) for cell in cells]
    if len(set(names)) < len(names) or "" in names:
        raise KitError(f"{where}: the header names a column twice or not at all: {', '.join(names)}", "Give each column a name of its own.")
    return names


def _same_length(cells: list[str], header: list[str], where: str) -> None:
    if len(cells) != len(header):
        raise KitError(f"{where}: the row has {len(cells)} cells, the header {len(header)}.", "Fix the row; is --delimiter right?")


def json_object(text: str, where: str) -> dict[str, Any]:
    """A JSON object. Raises KitError with the place for anything else."""
    try:
        found = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise KitError(f"{where}: not valid JSON: {error}", "A row is a JSON object; else --format csv or --format lines.") from error
    if not isinstance(found, dict):
        raise KitError(f"{where}: {text[:60]} is no JSON object.", "For plain lines: --format lines.")
    return found


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _from_kafka(origin: Origin, rows: int, form: Form, wait: float) -> Iterator[Entry]:
    from kafka import KafkaConsumer
    from kafka.errors import KafkaError

    if form == "csv":
        raise KitError("--format csv is for files and sockets.", "Records of a topic are read with --format json or --format lines.")
    options = {"allow_auto_create_topics": False, "enable_auto_commit": False, "bootstrap_timeout_ms": int(wait * 1000)}
    try:
        with closing(KafkaConsumer(bootstrap_servers=origin.bootstrap.split(","), group_id=None, **options)) as consumer:
            records = _records(consumer, origin, rows, wait)
            partitions = len(consumer.partitions_for_topic(origin.topic))
    except (KafkaError, OSError) as error:
        raise KitError(
            f"kafka:{origin.bootstrap}: {error or type(error).__name__}", "Is Kafka running there? Try one: autograder kafka up"
        ) from error
    for record in records:
        yield _kafka_entry(record, form, partitions)
    if len(records) < rows:
        raise TimeoutError


def _records(consumer: Any, origin: Origin, rows: int, wait: float) -> list[Any]:
    """The first records of all partitions, merged by their times: the same ones every time where the topic has enough."""
    from kafka import TopicPartition

    places = [TopicPartition(origin.topic, number) for number in sorted(consumer.partitions_for_topic(origin.topic))]
    if not places:
        raise KitError(f"There is no topic {origin.topic!r}.", f"There are: {', '.join(sorted(consumer.topics())) or 'none'}.")
    consumer.assign(places)
    consumer.seek_to_beginning(*places)
    ends = consumer.end_offsets(places)
    found: dict[Any, list[Any]] = {place: [] for place in places}
    while any(len(found[place]) < rows and consumer.position(place) < ends[place] for place in places) or _count(found) < rows:
        polled = consumer.poll(timeout_ms=int(wait * 1000))
        if not polled:
            break
        for place, records in polled.items():
            found[place] += records
            if len(found[place]) >= rows:
                consumer.pause(place)
    return list(islice(heapq.merge(*found.values(), key=lambda record: (record.timestamp, record.partition)), rows))


def _count(found: Mapping[Any, list[Any]]) -> int:
    return sum(map(len, found.values()))


def _kafka_entry(record: Any, form: Form, partitions: int) -> Entry:
    """What the record holds, and what Spark's Kafka source says of it too."""
    where = f"topic {record.topic}, partition {record.partition}, offset {record.offset}"
    arrived = record.timestamp * 1000 if record.timestamp >= 0 else None
    more = {name: getattr(record, name) for name in ("key", "value", "topic", "partition", "offset")}
    more |= {name: None if more[name] is None else more[name].decode("utf-8", "surrogateescape") for name in ("key", "value")}
    more |= {"timestamp": None if arrived is None else iso(arrived)}
    value = more["value"]
    fields = {SCALAR: value} if form == "lines" else json_object("null" if value is None else value, where)
    return Entry(where, fields, more, form != "lines", arrived, partitions)
