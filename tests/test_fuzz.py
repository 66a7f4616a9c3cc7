"""Whatever bytes are in a file or come back from a process: a clear error or an outcome, never a traceback, never a mark by accident."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from autograder.broker.programs import Program, listen
from autograder.content.catalog import Catalog
from autograder.content.fixtures import read_fixture
from autograder.engines.base import Observed
from autograder.engines.spark_replays import _parse
from autograder.grading.answer_key import AnswerKey
from autograder.grading.waves import Grading
from autograder.judge.messages import MESSAGES
from autograder.machine.paths import MB
from autograder.model import KitError, Outcome, Request
from autograder.oracle import kafka as logs
from autograder.reports.folder import write
from autograder.reports.terminal import one_line
from autograder.sandbox.watch import own_memory
from autograder.submission.locate import folder_name, handed_in
from autograder.submission.read import Submission
from autograder.untrusted import submission, supervisor
from autograder.untrusted.stopped import Stopped
from autograder.wire import ReplayRequest
from tests.conftest import HERE, notebook

#: Examples of each kind: many in `make soak`.
TIMES = int(os.environ.get("AUTOGRADER_EXAMPLES", "200"))
many = settings(max_examples=TIMES, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
MANIFEST = (HERE / "kit/assignments/toy/assignment.toml").read_bytes()
FIXTURE = (HERE / "kit/fixtures/toy/visible/three_steps.jsonl").read_bytes()
PROGRAM = b"def double(number):\n    return 2 * number\n"
NOTEBOOK = notebook(
    PROGRAM.decode(), others=[{"cell_type": "code", "metadata": {}, "source": ["%time\n", "x = 1\n", "def y():\n", "    !ls"]}]
).encode()
#: What a right program's replay of the toy's ``double`` answers.
ANSWER = {"id": 0, "seconds": 0.1, "printed": "", "columns": [], "steps": [[{"rows": [[2]]}], [{"rows": [[42]]}]], "failure": None}
#: What is likely to matter to a reader of text.
PIECES = [
    b"",
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"'",
    b'"',
    b"[",
    b"]]",
    b"{",
    b"}",
    b"=",
    b"\n",
    b"\\",
    b"#",
    b"null",
    b"true",
    b"-1",
]
PIECES += [b"1e999", b"NaN", b"9" * 400, b"[" * 3000, b"(" * 3000, b"  ", b"\t", b"@", b"$(x)", b"../", b"\xe2\x80\xae", b"lambda: ", b"\r"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6) | st.sampled_from(list(ANSWER)), inner, max_size=4),
    max_leaves=6,
)

pytestmark = pytest.mark.soak
#: Megabytes that the grader may take for all of this.
_MOST_MEMORY = 500


@pytest.fixture(autouse=True)
def _memory() -> Iterator[None]:
    """However odd the input: this process stays small."""
    yield
    assert own_memory(os.getpid()) < _MOST_MEMORY * MB


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """A text with up to three places cut out and replaced, by what is drawn or by another part of it."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(whole)))
        end = min(len(whole), start + draw(st.sampled_from([0, 0, 1, 2, 5, 20, 200])))
        other = draw(st.integers(0, len(whole)))
        piece = draw(st.sampled_from(PIECES) | st.binary(max_size=6) | st.just(whole[other : other + 20]))
        whole = whole[:start] + piece + whole[end:]
    return whole


@st.composite
def replaced(draw: st.DrawFn, value: Any) -> Any:
    """A JSON value of which one part, wherever it is, is another."""
    if not isinstance(value, (dict, list)) or not value or not draw(st.integers(0, 4)):
        return draw(json_values)
    part = draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))
    changed = value.copy()
    changed[part] = draw(replaced(value[part]))
    return changed


class Answers:
    """Who replays in a process that says one line."""

    confined = False

    def __init__(self, line: bytes) -> None:
        self.line = line

    def observe(self, requests: Sequence[Request]) -> Iterator[Observed]:
        """As Spark's replays do with a line of the process."""
        for request in requests:
            yield request, _parse(self.line, {0: request})[1]


@many
@example(line=b'{"id": 1e999}')
@given(
    line=damaged(json.dumps(ANSWER).encode())
    | replaced(ANSWER).map(lambda value: json.dumps(value).encode())
    | st.binary(max_size=40)
    | json_values.map(lambda value: json.dumps(value).encode())
)
def test_observations(toy: AnswerKey, tmp_path_factory: pytest.TempPathFactory, line: bytes) -> None:
    """Only what says the right rows gets points, and only what claims a fault of ours is one."""
    path = tmp_path_factory.getbasetemp() / "observed.py"
    if not path.exists():
        path.write_bytes(PROGRAM)
    checks = [check for check in toy.assignment.checks if check.id == "double_right"]

    observer = Answers(line.replace(b"\n", b" "))
    (found,) = Grading(toy, Submission.read(path), {"least": 1}, observer).report(checks).checks

    if found.outcome is Outcome.PASSED:
        assert [[batch["rows"] for batch in step] for step in json.loads(line)["steps"]] == [[[[2]]], [[[42]]]]
    elif found.outcome is Outcome.GRADER_ERROR:
        assert json.loads(line)["fault"] is not None
    else:
        assert found.points == 0
        assert found.message


#: The owner of programs that nobody runs.
nobody: Any = None
#: What two right programs may say.
SAID: list[tuple[int, dict[str, Any]]] = [
    (1, {"handled": [0, 0]}),
    (2, {"handled": [3, 1 << 40]}),
    (1, {"paused": True}),
    (1, {"failure": {"kind": "raised", "text": "å", "line": 1, "error": "ValueError"}}),
    (2, {"ended": "returned 3"}),
    (1, {"died": True}),
    (2, {"fault": "Traceback"}),
    (1, {"gone": "gone", "printed": "x"}),
]


def lines(said: Sequence[tuple[Any, Any]]) -> bytes:
    """What programs say, as a process writes it."""
    return b"".join(json.dumps([number, json.dumps(event)]).encode() + b"\n" for number, event in said)


@st.composite
def said(draw: st.DrawFn) -> bytes:
    """Some of what programs may say, and between them one thing of which a part is another, or a text."""
    events = draw(st.lists(st.sampled_from(SAID), max_size=5))
    number, event = draw(st.sampled_from(SAID))
    changed = lines([(number, draw(replaced(event)))])
    raw = json.dumps([number, draw(st.text(st.characters(), max_size=5) | st.just("\ud800"))]).encode() + b"\n"
    return lines(events) + draw(st.sampled_from([changed, raw, b""])) + lines(events)


def handled_by_hand(data: bytes) -> set[tuple[int, int, int]]:
    """Program, partition and offset of all that any line says was handled, read as simply as can be."""
    found = set()
    for line in data.split(b"\n"):
        with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
            number, text = json.loads(line)
            partition, offset = json.loads(text)["handled"]
            if type(partition) is type(offset) is int:
                found.add((number, partition, offset))
    return found


@many
@example(data=b'[1, "\\ud800"]\n')
@example(data=b"[1e999, 1]\n")
@given(data=said() | damaged(lines(SAID)) | st.binary(max_size=60) | json_values.map(lambda value: json.dumps([1, value]).encode() + b"\n"))
def test_what_kafka_programs_say(data: bytes) -> None:
    """Whatever comes, a program has handled what a whole line says in its name, and nothing else; nothing is raised."""
    programs = {number: Program(number, "group", nobody) for number in (1, 2)}
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    try:
        end = listen(reading, 100_000, programs)
    finally:
        os.close(reading)
    for program in programs.values():
        while program.hear(0):
            pass

    assert end in {"", *MESSAGES}
    found = {(program.number, *place) for program in programs.values() for place in program.handled}
    assert found <= handled_by_hand(data)
    assert logs.handled_facts([(0, 0)], [program.handled for program in programs.values()])


@pytest.mark.parametrize("data", [b"x" * 2000, lines([(1, {"handled": [0, 0]})]) * 100])
def test_what_kafka_programs_say_is_bounded(data: bytes) -> None:
    """A line without an end and lines without an end: neither fills the grader's memory, and both are the submission's doing."""
    programs = {1: Program(1, "group", nobody)}
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)

    end = listen(reading, 1000, programs)
    os.close(reading)

    assert end == "too_much_output"
    assert programs[1].said.empty()


@many
@example(written=b"[]")
@example(written=b'{"id": 0, "failure": 5}')
@example(written=b'{"id": 0, "failure": null}')
@example(written=b"[" * 100_000)
@example(written=b'{"a": ' * 990 + b"1" + b"}" * 990)
@given(
    written=damaged(json.dumps(ANSWER).encode()) | replaced(ANSWER).map(lambda value: json.dumps(value).encode()) | st.binary(max_size=40)
)
def test_answers_of_workers(written: bytes) -> None:
    """What a submission writes in its worker's place never ends the process that passes it on, which would be a fault of ours."""
    passing = object.__new__(supervisor.Supervisor)
    passing.jvm = None
    request = ReplayRequest(0, "", "double", "plain", (), {}, {}, (), None, (), 60, alone=True)
    run = supervisor._Run(0, request, 0, 0.0, Path(), written)

    answer = passing.parsed(run)

    assert answer is not None
    _parse(supervisor.line_for(answer), {})


@many
@given(
    content=damaged(NOTEBOOK)
    | st.binary(max_size=60)
    | json_values.map(lambda value: json.dumps({"cells": value}).encode())
    | st.lists(json_values).map(lambda values: json.dumps({"cells": [{"cell_type": "code", "source": value} for value in values]}).encode())
)
def test_notebooks(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """A notebook is read, or what is wrong with it has a message; every line of its program has a place."""
    path = tmp_path_factory.getbasetemp() / "handed_in.ipynb"
    path.write_bytes(content)

    found = Submission.read(path, {"double"})

    for failure in filter(None, (found.failure, found.program.broken)):
        assert failure.kind in MESSAGES
        assert failure.line is None or failure.line <= len(found.program.places)
    if not found.failure:
        assert found.program.text.encode()
        assert len(found.program.places) >= found.program.text.count("\n")


@many
@given(content=damaged(PROGRAM) | st.binary(max_size=60))
def test_submissions(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """A file is read, or what is wrong with it has a message; Python's compiler says the rest."""
    path = tmp_path_factory.getbasetemp() / "handed_in.py"
    path.write_bytes(content)

    found = Submission.read(path)

    if found.failure:
        assert found.failure.kind in MESSAGES
        return
    folder = Path.cwd()
    os.chdir(path.parent)
    try:
        submission.received(found.program.text)
    except Stopped as stopped:
        assert stopped.failure.kind in MESSAGES  # noqa: PT017  # most files compile
    finally:
        os.chdir(folder)


@many
@example(name=b"...py")
@example(name=b"\xff" * 120 + b".py")
@given(name=damaged(b"ada lovelace_toy.py") | st.binary(min_size=1, max_size=250))
def test_names(toy: AnswerKey, tmp_path_factory: pytest.TempPathFactory, name: bytes) -> None:
    """Whatever a file is called: one folder of reports in the folder that was named, and no line but its own."""
    folder = tmp_path_factory.getbasetemp() / "named"
    folder.mkdir(exist_ok=True)
    name = bytes(byte for byte in name if byte not in b"/\0")[:250]
    path = folder / os.fsdecode(name)
    if name.strip(b".") == b"" or path.is_dir():
        return
    path.write_bytes(b"")
    try:
        (found,) = handed_in([path], toy.assignment)
    finally:
        path.unlink()
    reports = folder / "out" / folder_name(found.student)

    report = Grading(toy, found.read(toy.assignment), {"least": 1}, Answers(b"")).report(toy.assignment.checks)
    write(report, reports)

    assert reports.parent == folder / "out"
    assert {path.name for path in reports.iterdir()} >= {"report.json", "instructor.json", "report.txt", "junit.xml"}
    assert len(one_line(report.student).splitlines()) <= 1
    shutil.rmtree(folder / "out")


record = st.builds(
    logs.Record,
    st.none() | st.binary(max_size=8) | st.sampled_from(PIECES),
    st.none() | st.binary(max_size=20) | st.sampled_from(PIECES) | json_values.map(lambda value: json.dumps(value).encode()),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.integers(0, 3),
    st.integers(0, 1 << 62),
    st.lists(st.tuples(st.text(max_size=4), st.binary(max_size=4)), max_size=2).map(tuple),
)


@many
@given(records=st.lists(record, max_size=6))
def test_records(records: list[logs.Record]) -> None:
    """Whatever lies on a broker has facts, which a report can say."""
    facts = [
        *logs.key_facts(records),
        *logs.value_facts(records),
        *logs.order_facts(records),
        *logs.time_facts(records, 0.0),
        *logs.header_facts(records),
        *logs.different_facts(found.value for found in records),
    ]

    for found in facts:
        assert json.dumps(found).encode()
        assert set(found) == {"what", "is"}


@many
@example(content=b"a = " + b"[" * 3000)
@given(content=damaged(MANIFEST))
def test_manifests(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """A manifest is an assignment or an error that names the file."""
    root = tmp_path_factory.getbasetemp() / "kit"
    if not root.exists():
        for name in ("solutions", "fixtures"):
            root.mkdir(exist_ok=True)
            (root / name).symlink_to(HERE / "kit" / name)
        (root / "assignments/toy").mkdir(parents=True)
    (root / "assignments/toy/assignment.toml").write_bytes(content)

    try:
        Catalog(root).assignment("toy")
    except KitError as error:
        assert "assignment.toml" in str(error)  # noqa: PT017  # some are right


@many
@given(content=damaged(FIXTURE))
def test_fixtures(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """A fixture has steps or an error that names the file and the line."""
    path = tmp_path_factory.getbasetemp() / "fuzzed.jsonl"
    path.write_bytes(content)

    try:
        assert read_fixture(path, {"least": 1}).steps
    except KitError as error:
        assert "fuzzed.jsonl:" in str(error)  # noqa: PT017  # as above
