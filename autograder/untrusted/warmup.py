"""The program whose classes the cache holds: one replay of each kind. ``python -m autograder.untrusted.warmup FILE``.

With ``--jar FILE`` it makes the jar of ``localfiles``.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from autograder.machine import classcache, gateway, jvm, localfiles, paths
from autograder.machine.java import find_java
from autograder.untrusted import dstream, session, structured
from autograder.wire import Add, ReplayRequest, Row

#: Seconds in which this program must have ended: eight times what it takes, and less than its caller waits.
_PATIENCE = 240


def _request(replay: str, source: str, columns: tuple[tuple[str, str], ...], rows: Sequence[Row]) -> ReplayRequest:
    steps = tuple(Add({source: (row,)}) for row in rows)
    return ReplayRequest(0, "", "", replay, (source,), {source: columns}, {}, (), "append", steps, 60)


def _late_counts(rows: Any) -> Any:
    from pyspark.sql import functions as F  # its usual name

    return rows.withWatermark("at", "10 minutes").groupBy(F.window("at", "5 minutes"), "page").count()


def _words(lines: Any) -> Any:
    return lines.map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b)


@contextlib.contextmanager
def _jvm(flags: tuple[str, ...] = ()) -> Iterator[tuple[jvm.Jvm, Path]]:
    """Spark's JVM and its scratch folder; both are gone afterwards, also when it does not start."""
    with tempfile.TemporaryDirectory(prefix="autograder-warmup-", dir=paths.scratch_root(), ignore_cleanup_errors=True) as folder:
        spark = jvm.start_jvm(find_java(), Path(folder), flags)
        try:
            yield spark, Path(folder)
        finally:
            spark.stop()


def main(target: Path) -> None:
    """Run both engines once in a JVM that writes its cache when it exits."""
    java = find_java()
    with _jvm(classcache.recording(java, target)) as (spark, scratch):
        joined = session.join(spark.port, spark.secret)
        minutes = [{"at": n * 600_000_000, "page": "a"} for n in range(4)]
        asked = _request("structured", "rows", (("at", "TIMESTAMP"), ("page", "STRING")), minutes)
        for replay in (
            structured.Replay(joined, _late_counts, asked, scratch),
            dstream.Replay(joined, _words, _request("dstream", "lines", (("value", "STRING"),), [{"value": "a"}] * 2), scratch),
        ):
            replay.run(range(len(replay.request.steps)))
            replay.clean()
        joined.context.stop()
        spark.process.communicate()  # closes its input: it exits and writes the cache
        if spark.process.returncode or not target.is_file():
            sys.exit(f"Java ended with code {spark.process.returncode}: {jvm.last_lines(scratch) or 'it said nothing'}")


def make_jar(target: Path) -> None:
    """Compile in a JVM of Spark's that ends with this process."""
    with _jvm() as (spark, _):
        localfiles.compile_with(gateway.connect(spark.port, spark.secret), target)


def _end_late(*_: object) -> None:
    sys.exit(f"it did not finish within {_PATIENCE} seconds")  # on its way out it ends its JVM, which a kill would leave behind


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, _end_late)
    signal.alarm(_PATIENCE)
    if sys.argv[1] == "--jar":
        make_jar(Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]))
