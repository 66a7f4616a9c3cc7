"""A function on Spark's real Kafka source, run in the untrusted process: for the eye, outside the marks."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from autograder.broker import jars
from autograder.machine.paths import environment
from autograder.model import GraderFaultError

_PATIENCE = 180


def run_live(file: Path, function: str, bootstrap: str, topic: str) -> Iterator[str]:
    """A line for every micro-batch. Raises GraderFaultError when Spark does not come to the topic's end."""
    connector = jars.class_path(jars.CONNECTOR)
    command = [sys.executable, "-m", "autograder.untrusted.connector_demo", str(file), function, bootstrap, topic, connector]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE, env=environment())
    except subprocess.TimeoutExpired as error:
        raise GraderFaultError(f"Spark did not come to the topic's end within {_PATIENCE} seconds.") from error
    if done.returncode:
        raise GraderFaultError(f"Spark could not read the topic: {done.stderr.strip().splitlines()[-1:]}")
    for line in done.stdout.splitlines():
        found = json.loads(line)
        rows = ", ".join(" ".join(f"{name}={cell}" for name, cell in zip(found["columns"], row, strict=True)) for row in found["rows"])
        yield f"  micro-batch {found['batch']}: {rows or '(no rows)'}"
