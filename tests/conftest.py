"""One Spark for all tests that can share one, and a toy kit that tests may break."""

from __future__ import annotations

import difflib
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring import packing
from autograder.authoring.release import release_files
from autograder.content.catalog import Catalog
from autograder.engines.base import Observer
from autograder.engines.recorded import Recorded, Records, observations
from autograder.engines.runtime import Runtime
from autograder.grading.answer_key import AnswerKey
from autograder.grading.session import Session
from autograder.grading.waves import Grading
from autograder.model import Observation, Report, Request
from autograder.sandbox import bubblewrap
from autograder.submission.read import Submission
from tests.with_records import PROVE, RECORDS, TOLD, commit
from tests.with_records import with_records as records_before

HERE = Path(__file__).parent
#: How `grade` does without a sandbox where this machine forbids one. What a sandbox must hold is in test_attacks.
UNCONFINED = ("--sandbox", "none") if bubblewrap.obstacle() else ()
#: Gradings that must agree: a few in `make test`, twenty in `make soak`.
GRADINGS = int(os.environ.get("AUTOGRADER_GRADINGS", "3"))
#: Whether this is `make soak`, which goes deeper.
SOAK = GRADINGS > 3
#: A submission of the toy: right in one part, wrong in another, and dead in a third.
MIXED = (
    "from pyspark.sql import functions as F\n\n\n"
    "def counts(views, least):\n    return views.where('page < \"b\" or page > \"y\"').groupBy('page').agg(F.count('*').alias('views'))\n\n\n"
    "def words(lines):\n    return lines.map(lambda line: (line, 1 // (line != 'b'))).reduceByKey(lambda a, b: a + b)\n\n\n"
    "def double(number):\n    print('doubling', number)\n    return number + 1\n"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-goldens`` writes what came as what is expected; read the diff before committing it.

    ``--prove`` replays everything that has a record, says what differs, and writes the records anew, without those that nothing asks
    for; ``--record`` adds those that are missing.
    """
    parser.addoption("--update-goldens", action="store_true")
    parser.addoption("--prove", action="store_true")
    parser.addoption("--record", action="store_true")


@pytest.fixture(scope="session", autouse=True)
def keeper(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str, Observer], Recorded]]:
    """Keeps the records of tests, and of commands that they start. With ``--prove`` all is replayed, and they are written at the end."""
    prove = request.config.getoption("--prove")
    made: dict[str, list[Recorded]] = {}
    kept: dict[str, Records[Observation]] = {}
    told = tmp_path_factory.mktemp("records")
    os.environ |= {TOLD: str(told)} | ({PROVE: "1"} if prove else {})

    def records(name: str) -> Records[Observation]:
        if name not in kept:
            kept[name] = observations(RECORDS / f"{name}.jsonl")
        return kept[name]

    def recorded(name: str, observer: Observer, always: Callable[[Request], bool] = lambda _: False) -> Recorded:
        found = Recorded(observer, records(name), commit(), (lambda _: True) if prove else always)
        made.setdefault(name, []).append(found)
        return found

    yield recorded
    asked = {name: set().union(*(user.asked for user in users)) for name, users in made.items()}
    differing = [line for users in made.values() for user in users for line in user.differing]
    for by_commands in map(observations, told.iterdir()):
        differing += records("tests").take(by_commands)
        asked.setdefault("tests", set()).update(by_commands.keys())
    for name, users in made.items():
        print(f"\n{name}: {sum(user.replayed for user in users)} of {sum(len(user.asked) for user in users)} observations replayed")
    print("".join(f"DIFFERS from its record: {line}\n" for line in differing), end="")
    if prove or request.config.getoption("--record"):
        for name, keys in asked.items():
            kept[name].write(keys if prove else None)


@pytest.fixture(scope="session")
def recorded(keeper: Callable[[str, Observer], Recorded]) -> Callable[[str, Observer], Recorded]:
    """Puts records of a name before who replays."""
    return keeper


@pytest.fixture
def with_records(recorded: Callable[[str, Observer], Recorded], monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that run in this process judge records."""
    monkeypatch.setattr(Session, "_observer", records_before(lambda replays: recorded("tests", replays)))


@pytest.fixture(scope="session")
def runtime() -> Iterator[Runtime]:
    """The Spark and the brokers of tests that can share them."""
    with Runtime() as shared:
        yield shared


@pytest.fixture(scope="session")
def engine(recorded: Callable[[str, Observer], Recorded], runtime: Runtime) -> Recorded:
    """Who replays for tests that can share it: records, and a Spark for what has none."""
    return recorded("tests", runtime)


@pytest.fixture(scope="session")
def toy() -> AnswerKey:
    """The toy assignment."""
    return AnswerKey.load(Catalog(HERE / "kit"), "toy")


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """A copy of the toy kit."""
    return Path(shutil.copytree(HERE / "kit", tmp_path / "kit"))


@pytest.fixture
def root(kit: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kit of one's own, in which the commands work."""
    monkeypatch.setenv("AUTOGRADER_ROOT", str(kit))
    monkeypatch.chdir(kit)
    return kit


@pytest.fixture
def grade(engine: Runtime, toy: AnswerKey, tmp_path: Path) -> Callable[..., Report]:
    """Grade a text as a submission of the toy."""

    def grade(text: str | bytes, checks: tuple[str, ...] = ("counts_runs", "counts_right"), time_limit: int | None = None) -> Report:
        path = tmp_path / "toy.py"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return grade_file(engine, toy, path, checks, time_limit)

    return grade


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All assignments in one release: a folder that is a git repository, with a zip beside it."""
    out = tmp_path_factory.mktemp("release") / "course"
    packing.release(Catalog(HERE.parent), Catalog(HERE.parent).slugs(), out, {}, zipped=True, repository=True)
    return out


@pytest.fixture(scope="session")
def toy_files() -> dict[str, bytes]:
    """A release of the toy."""
    return release_files(Catalog(HERE / "kit"), ["toy"], {})


@pytest.fixture
def toy_release(tmp_path: Path, toy_files: dict[str, bytes]) -> Path:
    """The toy's release in a folder."""
    return laid_out(toy_files, tmp_path / "course")


def laid_out(files: Mapping[str, bytes], folder: Path) -> Path:
    """Write files below a folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def notebook(*answers: str, others: Sequence[dict[str, Any]] = ()) -> str:
    """A notebook whose answer cells have these sources; other cells follow."""
    marks = {"grade": False, "locked": False, "schema_version": 3, "solution": True, "task": False}
    cells = [
        {"cell_type": "code", "id": f"answer-{n}", "metadata": {"nbgrader": marks | {"grade_id": f"answer_{n}"}}, "source": source}
        | {"execution_count": None, "outputs": []}
        for n, source in enumerate(answers)
    ]
    return json.dumps({"cells": [*cells, *others], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def grade_file(engine: Observer, answer_key: AnswerKey, path: Path, checks: tuple[str, ...] = (), time_limit: int | None = None) -> Report:
    """Grade a file with some checks (all when none is named), perhaps with another time limit."""
    from dataclasses import replace

    chosen = [check for check in answer_key.assignment.checks if not checks or check.id in checks]
    chosen = [replace(check, time_limit=time_limit or check.time_limit) for check in chosen]
    return Grading(answer_key, Submission.read(path), answer_key.assignment.defaults(), engine).report(chosen)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file in ``tests/golden``."""

    def golden(name: str, text: str) -> None:
        path = HERE / "golden" / name
        if request.config.getoption("--update-goldens"):
            path.write_text(text, encoding="utf-8")
        changed = differences([path.read_text(encoding="utf-8"), text])
        assert not changed, f"read the difference; if it is meant: pytest --update-goldens ({path.name})\n{changed}"

    return golden


def assert_same(texts: Sequence[str]) -> None:
    """Fail with the whole difference, which an assertion would cut."""
    found = differences(texts)
    if found:
        pytest.fail(found, pytrace=False)


def differences(texts: Sequence[str]) -> str:
    """How texts that must be equal differ from the most frequent one: as a diff, and how often; empty when they do not."""
    counts = Counter(texts)
    usual = max(counts, key=counts.__getitem__)
    diffs = [
        "\n".join([f"{count} of {len(texts)}:", *difflib.unified_diff(usual.splitlines(True), text.splitlines(True), n=12)])
        for text, count in counts.items()
        if text != usual
    ]
    return "\n".join(diffs)


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """What judges records may have to start a Spark for what has none."""
    for item in items:
        if {"engine", "recorded", "with_records"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("recorded")
            item.add_marker("spark")
