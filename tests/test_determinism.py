"""The same submission gives the same report, byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder import commands
from autograder.catalog import Catalog, find_root

_TIMES = 20


@pytest.fixture
def load() -> Iterator[None]:
    """Every core is busy with something else."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 2)]
    yield
    for process in busy:
        process.kill()
        process.wait()


@pytest.mark.usefixtures("load")
def test_twenty_gradings_under_load_give_one_report(tmp_path: Path) -> None:
    """Hash seeds, a busy machine and a new Spark each time change nothing in any file but the times."""
    commands.prepare(lambda text, _done, _of: print(text))
    sample = Catalog(find_root()).solutions("watermarks") / "samples" / "half_right.py"
    found: set[tuple[tuple[str, bytes], ...]] = set()
    for seed in range(_TIMES):
        out = tmp_path / str(seed)
        command = [sys.executable, "-m", "autograder", "grade", "watermarks", str(sample), "--out", str(out), "--quiet"]
        done = subprocess.run(command, env=dict(os.environ, PYTHONHASHSEED=str(seed)), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        files = sorted(path for path in out.rglob("*") if path.is_file() and path.name != "timings.json")
        assert len(files) == 4
        found.add(tuple((path.name, path.read_bytes()) for path in files))

    assert len(found) == 1
