"""New assignments hold at once; live streams become fixtures; what is wrong is told, and nothing half written stays."""

from __future__ import annotations

import json
import re
import shutil
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from kafka import KafkaAdminClient, KafkaProducer
from kafka.admin import NewTopic

from autograder.authoring import proof, scaffold
from autograder.broker import cluster
from autograder.broker.background import Background
from autograder.cli.main import main
from autograder.content.catalog import Catalog
from autograder.content.expressions import instant
from autograder.content.fixtures import read_fixture
from autograder.engines.base import Observer
from autograder.engines.runtime import Runtime
from autograder.grading.answer_key import AnswerKey
from autograder.grading.session import Session
from autograder.machine.java import Java
from autograder.model import KitError, Outcome, Variant
from tests.conftest import HERE, UNCONFINED, grade_file
from tests.test_broker import java  # noqa: F401  # a fixture

#: Views of pages as they arrive: the third is late within five minutes, the last behind any watermark.
VIEWS = [
    ("2024-03-04T10:01:00Z", "a"),
    ("2024-03-04T10:14:30Z", "b"),
    ("2024-03-04T10:09:59.500Z", "a"),
    ("2024-03-04T10:40:00Z", "c"),
    ("2024-03-04T10:02:00Z", "a"),
]
CSV = "at,kind,bytes\n" + "".join(f"{at},{kind},{len(kind)}\n" for at, kind in VIEWS)
JSON = "".join(json.dumps({"bytes": 1, "at": at, "kind": kind}) + "\n" for at, kind in VIEWS)
ADDS = [[list(view) for view in VIEWS[index : index + 2]] for index in (0, 2, 4)]


def run(*arguments: str) -> str:
    """What a verb prints when all is well."""
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    return done.output


def refused(*arguments: str) -> str:
    """What a verb says in two lines when it refuses."""
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2, done.output
    assert done.stderr.startswith("autograder: "), done.stderr
    assert len(done.stderr.splitlines()) == 2, done.stderr
    return done.stderr


def files(root: Path) -> set[Path]:
    """All that is there, but Python's own caches."""
    return {path for path in root.rglob("*") if "__pycache__" not in path.parts}


def problems(root: Path, slug: str, engine: Observer) -> list[str]:
    """What verify finds, on a Spark that is there already."""
    session = Session(AnswerKey.load(Catalog(root), slug))
    variant = Variant(session.answer_key.assignment.defaults())
    return proof.prove(session, variant, (engine,), lambda text, _done, _of: print(text)).problems


def adds(path: Path) -> list[list[object]]:
    """The rows of each batch as they stand in a fixture."""
    steps = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    return [rows for step in steps for rows in step.get("add", {}).values()]


def in_a_check(root: Path, slug: str, *names: str, more: str = "") -> None:
    """Name recorded fixtures in a new check."""
    manifest = root / "assignments" / slug / "assignment.toml"
    function = next(iter(Catalog(root).assignment(slug).functions))
    check = {
        "id": "recorded",
        "says": "It holds on a real stream",
        "function": function,
        "fixtures": names,
        "hints": ["Look at the steps."],
    }
    lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in check.items())
    manifest.write_text(manifest.read_text() + f"\n[[checks]]\n{lines}points = 1\n{more}")


def outcomes(root: Path, slug: str, engine: Observer, *files: str) -> dict[str, Outcome]:
    """What becomes of the new check with these files of the assignment."""
    answer_key = AnswerKey.load(Catalog(root), slug)
    reports = {file: grade_file(engine, answer_key, root / "solutions" / slug / file, ("recorded",)) for file in files}
    return {file: report.checks[0].outcome for file, report in reports.items()}


@contextmanager
def listening(text: str) -> Iterator[str]:
    """Somebody who sends a text to the first who connects, and keeps the line open."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        over = threading.Event()

        def serve() -> None:
            found, _ = server.accept()
            with found:
                found.sendall(text.encode())
                over.wait()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"socket:127.0.0.1:{server.getsockname()[1]}"
        finally:
            over.set()
            thread.join()


@pytest.mark.usefixtures("with_records")
def test_a_new_assignment_is_graded_at_once(root: Path) -> None:
    """`new`, then `grade` on a sample of it; the others are graded where it is proved."""
    said = run("new", "page_views", "--engine", "structured", "--title", 'Views "late" & soon')
    assert f"wrote {root / 'assignments/page_views/assignment.toml'}" in said
    assert Catalog(root).assignment("page_views").title == 'Views "late" & soon'
    assert Catalog(root).slugs() == ("toy", "page_views")

    graded = run("grade", "page_views", str(root / "solutions/page_views/samples/half_right.py"), "--quiet", *UNCONFINED)

    assert "half_right: 3 of 5 points" in graded.splitlines()


@pytest.mark.parametrize("kind", ["structured", "dstream", "plain"])
def test_a_new_assignment_is_proved_at_once(root: Path, engine: Observer, kind: str) -> None:
    """Verify finds nothing wrong with what `new` wrote, and two of the same name are the same bytes."""
    run("new", "fresh", "--engine", kind)
    written = {path: path.read_bytes() for path in files(root) if path.is_file()}

    assert problems(root, "fresh", engine) == []
    for part in ("assignments", "solutions", "fixtures"):
        (root / part / "fresh").rename(root / f"old_{part}")
    run("new", "fresh", "--engine", kind)
    assert {path: path.read_bytes() for path in written} == written


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("toy",), "assignments/toy is there already.\nChoose another name"),
        (("Page-Views",), "'Page-Views' is no name for an assignment.\nWrite at most 50 of a to z"),
        (("../toy",), "'../toy' is no name"),
        (("x" * 51,), "is no name for an assignment"),
        (("import",), "'import' is no name for an assignment."),
        (("fresh", "--title", "ab"), "'ab' is no title.\nGive another with --title: one line of at least 3 characters."),
        (("fresh", "--title", "two\nlines"), "'two\\nlines' is no title.\nGive another with --title"),
    ],
)
def test_new_refuses(root: Path, arguments: tuple[str, ...], text: str) -> None:
    """A name that is taken or none, or no title, changes nothing."""
    before = files(root)

    assert text in refused("new", *arguments).replace("fixtures/toy", "assignments/toy")
    assert files(root) == before


@pytest.mark.parametrize(
    ("slug", "title"), [("ab", "Assignment Ab"), ("a__", "Assignment A"), ("abc", "Abc"), ("page_views", "Page views")]
)
def test_a_title_is_made_of_the_name(root: Path, slug: str, title: str) -> None:
    """Of a short one too."""
    run("new", slug, "--engine", "plain")

    assert Catalog(root).assignment(slug).title == title


#: What the example in a new assignment's handout begins with, by engine, and a line of it.
EXAMPLES = {
    "structured": ("| step | arrives | watermark | emitted |", "| 3 | (2024-03-04T10:03:00Z, 'a') | 2024-03-04T10:09:59Z |  |"),
    "dstream": ("| batch | arrives | emitted |", "| 1 | 'to be or', 'not to be' | ('be', 2)<br>('not', 1)<br>('or', 1)<br>('to', 2) |"),
    "plain": ("| step | arrives | emitted |", "| 2 | ask 17 | 10 |"),
}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_new_handout_shows_an_example(root: Path, kind: str) -> None:
    """Input and output as the oracle tells them, of a visible fixture; with its figure where there are windows."""
    run("new", "fresh", "--engine", kind)
    lines = Catalog(root).handout("fresh").read_text().splitlines()
    title, row = EXAMPLES[kind]

    assert row in lines[lines.index(title) :]
    figures = [path.name for path in Catalog(root).folder("fresh").glob("*.svg")]
    assert figures == (["late_but_in_time.svg"] if kind == "structured" else [])
    assert all(f"]({name})" in "\n".join(lines) for name in figures)


TEMPLATES = [
    (
        "solutions/solution.py",
        "<< slug >>",
        "<< slog >>",
        r"plain/solutions/solution.py:1: 'slog' is undefined\nIt may use: slug, title, order",
    ),
    ("solutions/solution.py", "<< slug >>", "<< slug", r"plain/solutions/solution.py:1: expected token"),
    ("solutions/solution.py", "### END SOLUTION", "", r"plain/solutions/solution.py:\d+: BEGIN SOLUTION without an END"),
    ("assignments/assignment.toml", "version = 1", "version = 2", r"plain/assignments/assignment.toml:1: version"),
    ("fixtures/visible/inside.jsonl", '"ask"', '"tell"', r"plain/fixtures/visible/inside.jsonl:2: a step is exactly one of"),
    ("solutions/expected.py", "EMITS", "EMIT", r"plain/solutions/expected.py:1: AttributeError"),
]


@pytest.mark.parametrize(("file", "old", "new", "text"), TEMPLATES)
def test_a_template_that_does_not_work_is_named(root: Path, file: str, old: str, new: str, text: str) -> None:
    """A root's own templates go first; what is wrong in one is told with its line, and nothing is written."""
    shutil.copytree(HERE.parent / "templates" / "new" / "plain", root / "templates" / "new" / "plain")
    path = root / "templates" / "new" / "plain" / file
    path.write_text(path.read_text().replace(old, new))
    before = files(root)

    assert re.search(text, refused("new", "fresh", "--engine", "plain"))
    assert files(root) == before


def test_new_says_that_matplotlib_is_missing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then no template is to blame."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    before = files(root)

    assert "Matplotlib, which is not installed.\nIn the kit's checkout: make .venv/ready" in refused("new", "fresh")
    assert files(root) == before


def test_nothing_stays_when_the_last_part_cannot_be_written(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fails half way leaves no part of an assignment."""
    before = files(root)
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if target == root / "assignments/fresh":
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(KitError, match=r"cannot be written: .*No space left"):
        scaffold.new(Catalog(root), "fresh", "plain")
    assert files(root) == before


def test_recorded_streams_are_graded(root: Path, engine: Observer) -> None:
    """A file's rows, a socket's lines: the same fixture, on which a new assignment is graded."""
    run("new", "page_views")
    (root / "views.csv").write_text("\ufeff" + CSV)
    (root / "views.jsonl").write_text(JSON.replace("\n", "\n\n", 1))
    record = ("record", "page_views")
    more = ("--rows", "5", "--batch", "2", "--flush", "--hidden")

    said = run(*record, "from_csv", "--from", "views.csv", *more)
    run(*record, "from_json", "--from", "views.jsonl", *more)
    with listening(JSON) as address:
        run(*record, "from_socket", "--from", address, *more)
    with listening(CSV) as address:
        run(*record, "relative", "--from", address, "--format", "csv", *more, "--relative")

    folder = root / "fixtures/page_views/hidden"
    assert "Event times from 2024-03-04T10:01:00Z to 2024-03-04T10:40:00Z.\nThe latest event comes 38 min behind" in said
    assert adds(folder / "from_csv.jsonl") == [[[at.replace("59.500Z", "59.5Z"), kind] for at, kind in rows] for rows in ADDS]
    assert adds(folder / "from_json.jsonl") == adds(folder / "from_socket.jsonl") == adds(folder / "from_csv.jsonl")
    assert adds(folder / "relative.jsonl")[0] == [["@", "a"], ["@ + 810 s", "b"]]
    assert read_fixture(folder / "relative.jsonl", {}).steps == read_fixture(folder / "from_csv.jsonl", {}).steps
    assert "rows recorded from views.csv" in (folder / "from_csv.jsonl").read_text()
    in_a_check(root, "page_views", "from_socket")
    wrong, right = "samples/wrong.py", "solution.py"
    assert outcomes(root, "page_views", engine, right, wrong) == {right: Outcome.PASSED, wrong: Outcome.ERROR}


def test_lines_are_a_dstream(root: Path, engine: Observer) -> None:
    """Plain lines are single values; a batch interval without a line is an empty batch."""
    run("new", "words", "--engine", "dstream")
    with listening("to be\nor not\nto be\n") as address:
        run("record", "words", "spoken", "--from", address, "--rows", "3", "--batch", "2")
    (root / "said.csv").write_text('second,words\n1,"to be"\n2,or\n13,"not\nto"\n12,be\n')
    timed = ("--rename", "words=value", "--every", "5 s", "--arrival", "second", "--unit", "s")
    run("record", "words", "timed", "--from", "said.csv", "--rows", "4", *timed)

    folder = root / "fixtures/words/visible"
    assert (folder / "spoken.jsonl").read_text().splitlines()[1:] == [
        '{"add": {"lines": ["to be", "or not"]}}',
        '{"add": {"lines": ["to be"]}}',
    ]
    assert (folder / "timed.jsonl").read_text().splitlines()[1:] == [
        '{"add": {"lines": ["to be", "or"]}}',
        '{"quiet": 1}',
        '{"add": {"lines": ["not\\nto", "be"]}}',
    ]
    in_a_check(root, "words", "spoken", "timed")
    assert outcomes(root, "words", engine, "solution.py") == {"solution.py": Outcome.PASSED}


@pytest.mark.kafka
def test_topics_are_recorded_and_graded(root: Path, java: Java) -> None:  # noqa: F811  # the fixture
    """A topic's values with a field or the record's time as event time; its records as they are, for a function on brokers."""
    with cluster.broker() as found:
        send(found.bootstrap)
        address = f"kafka:{found.bootstrap}/views"
        run("new", "page_views")
        run("record", "page_views", "by_field", "--from", address, "--rows", "5")
        times = ("--schema", "timestamp TIMESTAMP, key STRING, partition INT, kind STRING", "--event-time", "timestamp", "--every", "2 s")
        run("record", "page_views", "by_record", "--from", address, "--rows", "5", *times)
        run("new", "counting", "--engine", "kafka")
        run("record", "counting", "as_it_is", "--from", address, "--rows", "5", "--batch", "3", "--hidden")
        silent = refused("record", "page_views", "x", "--from", address, "--rows", "6", "--wait", "0.5")
        missing = refused("record", "page_views", "x", "--from", f"kafka:{found.bootstrap}/clicks", "--rows", "6")
        in_a_check(root, "counting", "as_it_is", more='needs = ["right"]\nparameters = { station = "Visby" }\n')
        wrong = root / "solutions/counting/rejected/station_hard_coded.py"
        wrong.write_text(wrong.read_text().replace(" |", ", recorded |", 1))
        run("build", "counting")
        with Runtime(background=Background(found.guard.pid, found.ports)) as engine:
            assert problems(root, "counting", engine) == []

    folder = root / "fixtures/page_views/visible"
    assert adds(folder / "by_field.jsonl") == [[[at.replace("59.500Z", "59.5Z"), kind] for at, kind in VIEWS]]
    assert adds(folder / "by_record.jsonl") == [
        [["2024-03-04T12:00:00Z", "Oslo", 0, "a"], ["2024-03-04T12:00:01Z", "Visby", 1, "b"]],
        [["2024-03-04T12:00:02Z", "Oslo", 0, "a"], ["2024-03-04T12:00:03Z", "Visby", 1, "c"]],
        [["2024-03-04T12:00:04Z", "Oslo", 0, "a"]],
    ]
    lines = (root / "fixtures/counting/hidden/as_it_is.jsonl").read_text().splitlines()
    assert lines[1] == '{"topic": {"partitions": 3}}'
    assert json.loads(lines[3])["records"][0]["at"] == "@ + 3 s"
    assert "the Kafka topic views was silent for 0.5 seconds after 5 of 6 rows; nothing was written.\nAsk for 5 with --rows" in silent
    assert "There is no topic 'clicks'.\nThere are: views." in missing


def send(bootstrap: str) -> None:
    """The views on two of a topic's three partitions, a second apart, keyed by a station."""
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    admin.create_topics([NewTopic("views", 3, 1)])
    producer = KafkaProducer(bootstrap_servers=bootstrap, acks="all")
    start = instant("2024-03-04T12:00:00Z") // 1000
    for number, (at, kind) in enumerate(VIEWS):
        value, key = json.dumps({"at": at, "kind": kind}).encode(), (b"Oslo", b"Visby")[number % 2]
        producer.send("views", value, key=key, partition=number % 2, timestamp_ms=start + 1000 * number).get(timeout=60)
    producer.close()
    admin.close()
