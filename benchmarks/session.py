"""One process of the benchmark: ``session.py fast|stock [visible|all]``; prints one line of JSON.

Without a second argument: start a session and replay one stream 15 times, as many as a grading does. With one: replay the fixtures of
``watermarks`` (the visible ones or all) one after the other in this process, as a grader would that has no engine.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from autograder.machine import classcache, paths
from autograder.machine.java import find_java
from autograder.untrusted import session, structured, submission
from autograder.wire import Add, ReplayRequest, to_line

_MINUTE = 60_000_000


def start(engine: str, scratch: Path) -> tuple[session.Joined, int]:
    """A session and its JVM's process."""
    if engine == "fast":
        java = find_java()
        jvm = classcache.start_jvm(java, scratch)
        return session.join(jvm.port, jvm.secret), jvm.process.pid
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.config("spark.sql.shuffle.partitions", 1).getOrCreate()
    return session.Joined(spark.sparkContext, spark, None, None), spark.sparkContext._gateway.proc.pid


def late_counts(rows: Any) -> Any:
    """The query that is replayed: counts by window behind a watermark."""
    from pyspark.sql import functions as F

    return rows.withWatermark("at", "10 minutes").groupBy(F.window("at", "5 minutes"), "page").count()


def replay(joined: session.Joined, number: int, scratch: Path) -> tuple[float, float]:
    """Seconds of a replay of six steps, and of one of its micro-batches."""
    steps = tuple(Add({"rows": tuple({"at": (n * 10 + m) * _MINUTE, "page": "a"} for m in (1, 2))}) for n in range(6))
    columns = {"rows": (("at", "TIMESTAMP"), ("page", "STRING"))}
    request = ReplayRequest(0, "", "late_counts", "structured", ("rows",), columns, {}, (), "append", steps, 60)
    folder = scratch / str(number)
    folder.mkdir()
    began = time.perf_counter()
    run = structured.Replay(joined, late_counts, request, folder)
    run.run()
    batches = [entry["durationMs"]["triggerExecution"] / 1000 for entry in run.progress.values()]
    run.clean()
    return time.perf_counter() - began, statistics.median(batches)


def peak_megabytes(pid: int) -> float:
    """The most memory that a process has had resident."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


def grade_all(joined: session.Joined, which: str, scratch: Path) -> None:
    """Replay the fixtures of watermarks with its solution and judge them."""
    from autograder.content.catalog import Catalog
    from autograder.engines.spark_replays import _observation, _wire
    from autograder.grading.answer_key import AnswerKey
    from autograder.judge.compare import compare
    from autograder.model import Request

    root = Path(__file__).parent.parent
    answer_key = AnswerKey.load(Catalog(root), "watermarks")
    path, values = answer_key.catalog.solution("watermarks"), answer_key.assignment.defaults()
    module = submission.load(str(path), submission.read(str(path)))
    seen: set[Any] = set()
    for check in answer_key.assignment.checks:
        for fixture in answer_key.fixtures(check, values) if which == "all" or not check.hidden else ():
            request = Request(path.read_text(), answer_key.function(check), fixture, {**values, **check.parameters}, 60)
            wire = _wire(request, 0, "")
            if (key := to_line(wire)) in seen:
                continue
            seen.add(key)
            folder = scratch / str(len(seen))
            folder.mkdir()
            run = structured.Replay(joined, getattr(module, check.function), wire, folder)
            observation = _observation(run.run(), request)
            run.clean()
            expected = answer_key.expected(check, fixture, values)
            assert compare(answer_key.function(check), check.compare, expected, observation) is None, (check.id, fixture.name)


def main(engine: str, which: str = "") -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory(
        dir=paths.scratch_root() if engine == "fast" else None, prefix="bench-", ignore_cleanup_errors=True
    ) as folder:
        run(engine, which, Path(folder))


def run(engine: str, which: str, scratch: Path) -> None:
    """As ``main``, in a scratch folder."""
    began = time.perf_counter()
    joined, pid = start(engine, scratch)
    found = {"session": time.perf_counter() - began}
    if which:
        grade_all(joined, which, scratch)
        return
    times = [replay(joined, number, scratch) for number in range(15)]
    later = times[1:]
    found |= {"first": times[0][0], "later": statistics.median(t for t, _ in later), "batch": statistics.median(b for _, b in later)}
    print(json.dumps(found | {"rss": peak_megabytes(pid)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
