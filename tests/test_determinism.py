"""The same submission gives the same report, byte for byte."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from autograder.content.catalog import Catalog
from autograder.engines import spark_replays
from autograder.engines.base import Observer
from autograder.engines.runtime import Runtime
from autograder.grading.answer_key import AnswerKey
from autograder.grading.session import left_out
from autograder.grading.waves import Grading
from autograder.machine.progress import silent
from autograder.model import Outcome, Report
from autograder.reports.json_report import to_json
from autograder.submission.read import Submission
from tests.conftest import GRADINGS, HERE, MIXED, SOAK, UNCONFINED, assert_same

pytestmark = [pytest.mark.spark, pytest.mark.soak]

_AT_ONCE = 3


@contextlib.contextmanager
def busy(times: int) -> Iterator[None]:
    """Every core is wanted so many times by something else."""
    found = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(times * (os.cpu_count() or 2))]
    try:
        yield
    finally:
        for process in found:
            process.kill()
            process.wait()


@pytest.fixture
def load() -> Iterator[None]:
    """Every core is busy with something else."""
    with busy(1):
        yield


def graded(root: Path, slug: str, file: Path, times: int, out: Path) -> list[dict[str, str]]:
    """The reports of so many gradings, each by a process with a hash seed and a Spark of its own."""

    def grade(seed: int) -> dict[str, str]:
        command = [sys.executable, "-m", "autograder", "grade", slug, str(file), "--out", str(out / str(seed)), "--quiet", *UNCONFINED]
        env = dict(os.environ, PYTHONHASHSEED=str(seed), AUTOGRADER_ROOT=str(root))
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.fail(f"grading {seed} ended with {done.returncode}:\n{done.stdout}{done.stderr}", pytrace=False)
        return {path.name: path.read_text() for path in (out / str(seed)).rglob("*.*") if path.name != "timings.json"}

    spark_replays.prepare(lambda text, _done, _of: print(text))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(grade, range(times)))


@pytest.mark.usefixtures("load")
def test_gradings_under_load_give_one_report(tmp_path: Path) -> None:
    """Hash seeds, a busy machine and a new Spark each time change nothing in any file but the times.

    The submission is right, wrong and dead on all engines but Kafka (see test_kafka_setup).
    """
    sample = tmp_path / "alice.py"
    sample.write_text(MIXED)

    found = graded(HERE / "kit", "toy", sample, GRADINGS, tmp_path)

    assert len(found) == GRADINGS
    for name in ("instructor.json", "report.json", "report.txt", "junit.xml"):
        assert_same([files.pop(name) for files in found])
    assert found[0] == {}


CATALOG = Catalog(HERE.parent)
_deep = pytest.mark.skipif(not SOAK, reason="an hour: in `make soak`")


@pytest.fixture(params=CATALOG.slugs())
def answer_key(request: pytest.FixtureRequest) -> AnswerKey:
    """Of each assignment that can be graded here."""
    found = AnswerKey.load(CATALOG, request.param)
    if left_out(found.assignment, silent):
        pytest.skip("Kafka could not be fetched")
    return found


def _report(answer_key: AnswerKey, path: Path, observer: Observer) -> Report:
    values = answer_key.assignment.defaults()
    return Grading(answer_key, Submission.read(path), values, observer).report(answer_key.assignment.checks)


@_deep
@pytest.mark.kafka
def test_solutions_pass_on_an_overbooked_machine(answer_key: AnswerKey) -> None:
    """Four others want every processor: load is not a verdict."""
    with busy(4), Runtime() as runtime:
        report = _report(answer_key, CATALOG.solution(answer_key.assignment.slug), runtime)

    assert [(check.id, check.message) for check in report.checks if check.outcome is not Outcome.PASSED] == []


@_deep
@pytest.mark.kafka
def test_wrong_programs_have_one_report(answer_key: AnswerKey) -> None:
    """Every rejected file, on an idle machine, a busy one and an overbooked one: the same report, byte for byte."""
    files = sorted((CATALOG.solutions(answer_key.assignment.slug) / "rejected").glob("*.py"))
    found: list[list[str]] = []
    for times in (0, 1, 3):
        with busy(times), Runtime() as runtime:
            found.append([to_json(_report(answer_key, path, runtime)) for path in files])
    differing = [path.name for path, *reports in zip(files, *found, strict=True) if len(set(reports)) > 1]

    assert differing == []
