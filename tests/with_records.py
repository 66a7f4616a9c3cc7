"""Run a command with records before who replays: ``python -m tests.with_records autograder check toy``, or ``nbgrader …``.

What it has asked for, and what it has replayed, is told to the tests in a file of a folder that the environment names.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from autograder.engines.base import Observer
from autograder.engines.recorded import Recorded, observations
from autograder.grading.session import Session

HERE = Path(__file__).parent
#: Recorded observations, a file for each assignment and one for all tests that share an engine.
RECORDS = HERE / "records"
#: The folder for what was asked and replayed, and whether everything is to be replayed.
TOLD, PROVE = "AUTOGRADER_TEST_RECORDS", "AUTOGRADER_TEST_PROVE"


@functools.cache
def commit() -> str:
    """The commit that is tested; empty where there is no git. A part of what has a record is replayed, another part each time."""
    git = shutil.which("git")
    done = subprocess.run([git, "rev-parse", "HEAD"], cwd=HERE, capture_output=True, text=True, check=False) if git else None
    return done.stdout.strip() if done else ""


def with_records(before: Callable[[Observer], Observer]) -> Callable[..., object]:
    """In place of ``Session._observer``: who replays for a session, with records before them."""
    original = Session._observer

    @contextlib.contextmanager
    def observer(session: Session, given: Observer | None) -> Iterator[Observer]:
        with original(session, given) as replays:
            yield before(replays)

    return observer


def main(module: str) -> None:
    """Run a module's command; its arguments are the rest of the command line."""
    records, users = observations(RECORDS / "tests.jsonl"), list[Recorded]()
    records.path = Path(os.environ[TOLD]) / f"{os.getpid()}.jsonl"

    def before(replays: Observer) -> Observer:
        users.append(Recorded(replays, records, commit(), lambda _: PROVE in os.environ))
        return users[-1]

    atexit.register(lambda: records.write(set().union(*(user.asked for user in users))))
    Session._observer = with_records(before)  # type: ignore[method-assign, assignment]
    sys.argv = [module, *sys.argv[2:]]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1])
