"""One Spark for all tests that can share one, and a toy kit that tests may break."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder import commands
from autograder.catalog import Catalog
from autograder.engine import Engine
from autograder.grading import Course, Grading, Submission
from autograder.model import Report

HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-goldens`` writes what came as what is expected; read the diff before committing it."""
    parser.addoption("--update-goldens", action="store_true")


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """A Spark that tests share; replays do not disturb each other."""
    commands.prepare(lambda text, _done, _of: print(text))
    with Engine() as shared:
        yield shared


@pytest.fixture(scope="session")
def toy() -> Course:
    """The toy assignment."""
    return Course.load(Catalog(HERE / "kit"), "toy")


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """A copy of the toy kit."""
    return Path(shutil.copytree(HERE / "kit", tmp_path / "kit"))


@pytest.fixture
def grade(engine: Engine, toy: Course, tmp_path: Path) -> Callable[..., Report]:
    """Grade a text as a submission of the toy."""

    def grade(text: str | bytes, checks: tuple[str, ...] = ("counts_runs", "counts_right"), time_limit: int | None = None) -> Report:
        path = tmp_path / "toy.py"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return grade_file(engine, toy, path, checks, time_limit)

    return grade


def grade_file(engine: Engine, course: Course, path: Path, checks: tuple[str, ...] = (), time_limit: int | None = None) -> Report:
    """Grade a file with some checks (all when none is named), perhaps with another time limit."""
    from dataclasses import replace

    chosen = [check for check in course.assignment.checks if not checks or check.id in checks]
    chosen = [replace(check, time_limit=time_limit or check.time_limit) for check in chosen]
    return Grading(course, Submission.read(path), course.assignment.defaults(), engine).report(chosen)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file in ``tests/golden``."""

    def golden(name: str, text: str) -> None:
        path = HERE / "golden" / name
        if request.config.getoption("--update-goldens"):
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text, f"read the difference; if it is meant: pytest --update-goldens ({path.name})"

    return golden
