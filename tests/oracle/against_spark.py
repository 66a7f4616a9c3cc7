"""The oracle against real Spark on random streams: ``python -m tests.oracle.against_spark N [FIRST_SEED]``.

Structured streams batch by batch: rows, watermark, dropped count, rows in state. For every sixty of them there is also a window, which
Spark may refuse, and two DStreams, one of them restarted from its checkpoint: outputs and their times.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder.content.expressions import iso
from autograder.content.fixtures import schema_columns
from autograder.judge.compare import key
from autograder.oracle import CRASH, RESTART, Window
from autograder.oracle import replay as oracle_replay
from autograder.untrusted import session, structured, worker
from autograder.wire import Add, ReplayAnswer, ReplayRequest, Restart
from tests.oracle import dstream_cases, dstreams_by_spark
from tests.oracle.cases import SCHEMA, Case, make, window
from tests.oracle.workers import Replay, in_turns, joined

Answer = list[list[dict[str, Any]]]


def by_oracle(case: Case) -> Answer:
    """What the oracle says, step by step."""
    steps: Answer = [[] for _ in case.steps]
    for batch in oracle_replay(case.query, case.steps, case.drive):  # type: ignore[arg-type]
        steps[batch.step].append(_batch(batch.rows, batch.watermark_ms, batch.dropped, batch.state_rows, case))
    return steps


def _part(run: structured.Replay, part: range) -> ReplayAnswer:
    """What is observed from one restart to the next.

    Python and the JVM hold each other: the query its sink's function, that function the replay, and the replay the query. Neither side's
    collector sees the other half, so the replay lets go of all that it has.
    """
    try:
        return run.run(part)
    finally:
        run.clean()
        vars(run).clear()


def by_spark(joined: session.Joined, scratch: Path, case: Case) -> Answer:
    """What Spark says, step by step."""
    folder = scratch / f"case-{case.seed}"
    folder.mkdir()
    steps = tuple(Restart(step is CRASH) if step in (CRASH, RESTART) else Add({"rows": tuple(step)}) for step in case.steps)
    columns = {"rows": schema_columns(SCHEMA)}
    request = ReplayRequest(0, "", "", "structured", ("rows",), columns, {}, (), case.query.mode, steps, 60)
    own = replace(joined, spark=joined.spark.newSession())
    request = replace(request, no_data_batches=case.drive == "step")
    try:
        found = [_part(structured.Replay(own, case.build, request, folder), part) for part in worker.parts(request)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    names = [name for name, _ in next((part.columns for part in found if part.columns), ())]
    return [
        [_batch([dict(zip(names, row, strict=True)) for row in b.rows], b.watermark, b.dropped, b.state, case) for b in batches]
        for part in found
        for batches in part.steps
    ]


def _batch(rows: Any, watermark: Any, dropped: int, state: int, case: Case) -> dict[str, Any]:
    # Without a watermark Spark reports none; which of several equal keys' rows passes is order, not a rule.
    return {"rows": sorted(key(row) for row in rows), "watermark": watermark or 0, "dropped": dropped, "state": state}


def _one(seed: int) -> Answer:
    return by_spark(*joined(), make(seed))


def answers(pool: ProcessPoolExecutor, seeds: Sequence[int]) -> list[Answer]:
    """Spark's answers to the cases of these seeds."""
    return list(pool.map(_one, seeds))


def _takes_window(seed: int) -> bool:
    from pyspark.errors import AnalysisException
    from pyspark.logger import PySparkLogger
    from pyspark.sql import functions as F

    PySparkLogger.getLogger("DataFrameQueryContextLogger").disabled = True  # it tells every error beside raising it
    length, slide, start = (None if us is None else f"{us} microseconds" for us in window(seed))
    try:
        joined()[0].spark.range(1).select(F.window(F.current_timestamp(), str(length), slide, start))
    except AnalysisException:
        return False
    return True


def windows_taken(pool: ProcessPoolExecutor, seeds: Sequence[int]) -> list[bool]:
    """Of the windows of these seeds, which Spark takes."""
    return list(pool.map(_takes_window, seeds))


def window_difference(seed: int, spark: bool) -> str:
    """How the oracle differs from Spark in whether there is such a window; empty when it does not."""
    try:
        Window("at", *window(seed))
        oracle = True
    except ValueError:
        oracle = False
    return "" if oracle == spark else f"window {window(seed)}: oracle {oracle}, Spark {spark}"


def difference(case: Case, spark: Answer) -> str:
    """The first step at which oracle and Spark differ, as text; empty when there is none."""
    oracle = by_oracle(case)
    for index, (ours, theirs) in enumerate(zip(oracle, spark, strict=True)):
        if ours != theirs:
            steps = "\n".join(f"  {'=>' if i == index else '  '} {_step(step)}" for i, step in enumerate(case.steps))
            lines = [json.dumps(ours, indent=1), "Spark:", json.dumps(theirs, indent=1)]
            return f"seed {case.seed}, drive {case.drive}, {case.query}\n{steps}\noracle:\n" + "\n".join(lines)
    return ""


def _step(step: Any) -> str:
    if not isinstance(step, list):
        return str(step.name)
    return ", ".join(f"({row['at'] is not None and iso(row['at'])} {row['key']} {row['n']})" for row in step) or "(no rows)"


def main(count: int, first: int = 0) -> int:
    """Compare so many cases; 1 when one differs."""
    seeds = range(first, first + count)
    few = seeds[: max(1, count // 60)]
    wrong = _compare("", seeds, answers, lambda seed, found: difference(make(seed), found))
    wrong += _compare("windows: ", few, windows_taken, window_difference)
    of_dstreams = dstreams_by_spark.difference
    wrong += _compare("DStreams: ", few, dstreams_by_spark.answers, lambda seed, found: of_dstreams(dstream_cases.make(seed), found), 1)
    restarted = dstreams_by_spark.restarted_answers
    wrong += _compare("restarted: ", few, restarted, lambda seed, found: of_dstreams(dstream_cases.make_restarted(seed), found), 1)
    return 1 if wrong else 0


def _compare(what: str, seeds: range, replay: Replay, differs: Callable[[int, Any], str], workers: int = 2) -> int:
    wrong = done = 0
    for found in in_turns(replay, seeds, workers):
        told = [text for seed, answer in zip(seeds[done:], found, strict=False) if (text := differs(seed, answer))]
        wrong, done = wrong + len(told), done + len(found)
        print(f"{what}{done} of {len(seeds)} compared, {wrong} differ", flush=True)
        for text in told[:3]:
            print(text)
    return wrong


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
