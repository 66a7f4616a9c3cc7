"""The oracle against real Spark on random streams: ``python -m tests.oracle.against_spark N [FIRST_SEED]``.

Structured streams batch by batch: rows, watermark, dropped count, rows in state. One in thirty is of DStreams: outputs and
their times.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from autograder.content.expressions import iso
from autograder.content.fixtures import schema_columns
from autograder.judge.compare import key
from autograder.machine import classcache, paths
from autograder.machine.java import find_java
from autograder.oracle import CRASH, RESTART
from autograder.oracle import replay as oracle_replay
from autograder.untrusted import dstream, session, structured, worker
from autograder.wire import Add, ReplayAnswer, ReplayRequest, Restart
from tests.oracle import dstream_cases
from tests.oracle.cases import SCHEMA, Case, make

Answer = list[list[dict[str, Any]]]


_joined: list[Any] = []  # a worker process's session and scratch folder


@contextmanager
def spark_workers(count: int = 2) -> Iterator[ProcessPoolExecutor]:
    """Processes that share a Spark of their own. There can be only one where DStreams run."""
    scratch = Path(tempfile.mkdtemp(prefix="autograder-oracle-", dir=paths.scratch_root()))
    java = find_java()
    jvm = classcache.start_jvm(java, scratch)
    try:
        with ProcessPoolExecutor(count, get_context("fork"), _join, (jvm.port, jvm.secret, scratch)) as pool:
            yield pool
    finally:
        jvm.stop()
        shutil.rmtree(scratch, ignore_errors=True)


def _join(port: int, secret: str, scratch: Path) -> None:
    _joined[:] = [session.join(port, secret), scratch]


def by_oracle(case: Case) -> Answer:
    """What the oracle says, step by step."""
    steps: Answer = [[] for _ in case.steps]
    for batch in oracle_replay(case.query, case.steps, case.drive):  # type: ignore[arg-type]
        steps[batch.step].append(_batch(batch.rows, batch.watermark_ms, batch.dropped, batch.state_rows, case))
    return steps


def _part(run: structured.Replay, part: range) -> ReplayAnswer:
    """What is observed from one restart to the next."""
    try:
        return run.run(part)
    finally:
        run.clean()


def by_spark(joined: session.Joined, case: Case, scratch: Path) -> Answer:
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
    return by_spark(_joined[0], make(seed), _joined[1])


def answers(pool: ProcessPoolExecutor, seeds: Sequence[int]) -> list[Answer]:
    """Spark's answers to the cases of these seeds."""
    return list(pool.map(_one, seeds))


def _one_dstream(seed: int) -> list[Any]:
    warnings.simplefilter("ignore")
    case, scratch = dstream_cases.make(seed), _joined[1] / f"dstream-{seed}"
    scratch.mkdir()
    steps = tuple(Add({"pairs": tuple({"key": name, "n": n} for name, n in batch)}) for batch in case.batches)
    columns = {"pairs": (("key", "STRING"), ("n", "INT"))}
    request = ReplayRequest(0, "", "", "dstream", ("pairs",), columns, {}, ("checkpoint",), None, steps, 60)
    run = dstream.Replay(_joined[0], case.build, request, scratch)
    try:
        return [found[0].rows if found else None for found in run.run(range(len(steps))).steps]
    finally:
        run.clean()


def dstream_answers(pool: ProcessPoolExecutor, seeds: Sequence[int]) -> list[list[Any]]:
    """Spark's answers to the DStream cases of these seeds."""
    return list(pool.map(_one_dstream, seeds))


def dstream_difference(case: dstream_cases.Case, spark: list[Any]) -> str:
    """The first batch at which the outputs differ, as text; empty when there is none."""
    for time, (ours, theirs) in enumerate(zip(case.oracle(), spark, strict=True), 1):
        said, got = (rows if rows is None else sorted(json.dumps(row) for row in rows) for rows in (ours, theirs))
        if said != got:
            names = [name for name, _, _ in case.operators]
            return f"seed {case.seed}, window {case.window}, slide {case.slide}, {names}, batch {time} of {case.batches}\n{said}\nSpark:\n{got}"
    return ""


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
    with spark_workers() as pool:
        wrong = _compare(seeds, lambda part: list(map(difference, map(make, part), answers(pool, part))))
    with spark_workers(1) as pool:
        few = seeds[: max(1, count // 30)]
        wrong += _compare(
            few, lambda part: list(map(dstream_difference, map(dstream_cases.make, part), dstream_answers(pool, part))), "DStreams "
        )
    return 1 if wrong else 0


def _compare(seeds: range, differences: Callable[[range], list[str]], what: str = "") -> int:
    wrong = 0
    for start in range(0, len(seeds), 100):
        part = seeds[start : start + 100]
        found = [text for text in differences(part) if text]
        wrong += len(found)
        print(f"{what}{start + len(part)} of {len(seeds)} compared, {wrong} differ", flush=True)
        for text in found[:3]:
            print(text)
    return wrong


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
