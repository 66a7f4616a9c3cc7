"""Run a command with records before who replays: ``python -m tests.with_records autograder check toy``, or ``nbgrader …``.

What it has asked for, and what it has replayed, is told to the tests in a file of a folder that the environment names.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import multiprocessing
import os
import runpy
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

from autograder.engines.base import Observer
from autograder.engines.recorded import Recorded, Records, observations
from autograder.grading.session import Session
from autograder.model import Observation

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


def with_records(before: Callable[[Observer], Recorded]) -> Callable[..., object]:
    """In place of ``Session._observer``: who replays for a session, with records before them.

    What a process that judges apart has asked for and replayed would be gone with it, so it is told in a file as a command's is.
    """
    original = Session._observer

    @contextlib.contextmanager
    def observer(session: Session, given: Observer | None) -> Iterator[Observer]:
        with original(session, given) as replays:
            recorded = before(replays)
            yield recorded
            if multiprocessing.parent_process():
                tell(recorded.records, recorded.asked)

    return observer


def tell(records: Records[Observation], asked: set[str]) -> None:
    """Write what was observed where the tests look for it."""
    records.path = Path(os.environ[TOLD]) / f"{uuid.uuid4().hex}.jsonl"
    records.write(asked)


def main(module: str) -> None:
    """Run a module's command; its arguments are the rest of the command line."""
    records, users = observations(RECORDS / "tests.jsonl"), list[Recorded]()

    def before(replays: Observer) -> Recorded:
        users.append(Recorded(replays, records, commit(), lambda _: PROVE in os.environ))
        return users[-1]

    atexit.register(lambda: tell(records, set().union(*(user.asked for user in users))))
    Session._observer = with_records(before)  # type: ignore[method-assign, assignment]
    sys.argv = [module, *sys.argv[2:]]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1])
