"""The kit's speed against the same work with stock settings, as ratios in one run. ``make bench``."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
ROOT = HERE.parent
_RUNS = 3


def measure(engine: str) -> dict[str, float]:
    """Seconds of one process that starts a session and replays 15 times, and its JVM's memory."""
    command = [sys.executable, str(HERE / "session.py"), engine]
    env = dict(os.environ, PYTHONPATH=str(ROOT))
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def whole(command: list[str]) -> float:
    """Wall seconds of a whole command."""
    began = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True, cwd=ROOT, env=dict(os.environ, PYTHONPATH=str(ROOT)))
    return time.perf_counter() - began


def kafka(table: Table) -> None:
    """Brokers with their class cache against brokers without, and a whole check on brokers of its own."""
    for brokers, label in ((1, "broker ready, first topic made"), (3, "three brokers ready, first topic made")):
        runs: dict[str, list[dict[str, float]]] = {"fast": [], "stock": [], "confined": []}
        for _ in range(_RUNS):
            for engine, found in runs.items():
                command = [sys.executable, str(HERE / "brokers.py"), engine, str(brokers)]
                done = subprocess.run(command, capture_output=True, text=True, check=True, env=dict(os.environ, PYTHONPATH=str(ROOT)))
                found.append(json.loads(done.stdout))
        for key, unit, name in (("seconds", "s", label), ("rss", "MB", f"a broker of {brokers}, resident")):
            ours, theirs = (statistics.median(run[key] for run in runs[engine]) for engine in ("fast", "stock"))
            table.add_row(name, f"{ours:.3g} {unit}", f"{theirs:.3g} {unit}", f"{ours / theirs:.2f}")
        free, confined = (statistics.median(run["seconds"] for run in runs[engine]) for engine in ("fast", "confined"))
        table.add_row(f"{label}, confined / not", f"{confined:.3g} s", f"{free:.3g} s", f"{confined / free:.2f}")
    command = [sys.executable, "-m", "autograder", "check", "kafka_setup", str(ROOT / "solutions/kafka_setup/solution.py")]
    table.add_row("check kafka_setup, whole command", f"{statistics.median(whole(command) for _ in range(_RUNS)):.2f} s", "", "")


def confinement(table: Table, folder: Path) -> None:
    """Whole gradings in a sandbox against gradings without one, in turn."""
    for slug in ("watermarks", "dstream_word_count", "kafka_setup"):
        command = [sys.executable, "-m", "autograder", "grade", slug, str(ROOT / f"solutions/{slug}/solution.py"), "--out", str(folder)]
        runs: dict[str, list[float]] = {"bubblewrap": [], "none": []}
        for _ in range(_RUNS):
            for sandbox, seconds in runs.items():
                seconds.append(whole([*command, "--sandbox", sandbox]))
        confined, plain = map(statistics.median, runs.values())
        table.add_row(f"grade {slug}, confined / not", f"{confined:.2f} s", f"{plain:.2f} s", f"{confined / plain:.2f}")


def main() -> None:
    """Run both in turn and print one table of medians and ratios."""
    console = Console(width=110)
    subprocess.run([sys.executable, "-m", "autograder", "warm"], check=True, cwd=ROOT)
    whole([sys.executable, "-m", "autograder", "check", "kafka_setup", str(ROOT / "solutions/kafka_setup/solution.py")])
    fast, stock = [], []
    for number in range(_RUNS):
        console.print(f"run {number + 1} of {_RUNS} …", style="dim")
        stock.append(measure("stock"))
        fast.append(measure("fast"))
    table = Table("", "kit", "stock", "ratio", title=f"medians of {_RUNS} runs, in turn, on {os.cpu_count()} cores")
    for key, label in LABELS.items():
        ours, theirs = (statistics.median(run[key] for run in runs) for runs in (fast, stock))
        unit = "MB" if key == "rss" else "s"
        table.add_row(label, f"{ours:.3g} {unit}", f"{theirs:.3g} {unit}", f"{ours / theirs:.2f}")
    with tempfile.TemporaryDirectory() as folder:
        solution = str(ROOT / "solutions/watermarks/solution.py")
        for verb, which, more in (("check", "visible", []), ("grade", "all", ["--out", folder])):
            kit = [sys.executable, "-m", "autograder", verb, "watermarks", solution, *more]
            plain = [sys.executable, str(HERE / "session.py"), "stock", which]
            ours, theirs = statistics.median(whole(kit) for _ in range(_RUNS)), whole(plain)
            table.add_row(f"{verb} watermarks, whole command", f"{ours:.2f} s", f"{theirs:.2f} s", f"{ours / theirs:.2f}")
        confinement(table, Path(folder))
    kafka(table)
    console.print(table)


LABELS = {
    "session": "session start",
    "first": "first replay (6 steps)",
    "later": "later replay (6 steps)",
    "batch": "one micro-batch of a later replay",
    "rss": "JVM resident memory, peak",
}

if __name__ == "__main__":
    main()
