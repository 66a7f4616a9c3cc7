"""The same submission gives the same report, byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from autograder.engines import spark_replays
from tests.conftest import GRADINGS, HERE, MIXED, UNCONFINED, assert_same

pytestmark = [pytest.mark.spark, pytest.mark.soak]

_AT_ONCE = 3


@pytest.fixture
def load() -> Iterator[None]:
    """Every core is busy with something else."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 2)]
    yield
    for process in busy:
        process.kill()
        process.wait()


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
