"""The program whose classes the cache holds: one replay of each kind. ``python -m autograder.replay.warmup FILE``.

With ``--jar`` in place of a file it makes the jar of ``localfiles``.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder.replay import classcache, dstreams, localfiles, session, structured
from autograder.replay.java import find_java


def _request(engine: str, schemas: dict[str, str], steps: list[Any]) -> dict[str, Any]:
    names = {"engine": engine, "mode": "append", "drive": "step", "sources": list(schemas), "schemas": schemas}
    return names | {"parameters": {}, "gives": [], "steps": steps}


def _late_counts(rows: Any) -> Any:
    from pyspark.sql import functions as F  # its usual name

    return rows.withWatermark("at", "10 minutes").groupBy(F.window("at", "5 minutes"), "page").count()


def _words(lines: Any) -> Any:
    return lines.map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b)


@contextlib.contextmanager
def _jvm(flags: tuple[str, ...] = ()) -> Iterator[tuple[session.Jvm, Path]]:
    """Spark's JVM and its scratch folder; both are gone afterwards, also when it does not start."""
    with tempfile.TemporaryDirectory(prefix="autograder-warmup-", dir=session.scratch_root(), ignore_cleanup_errors=True) as folder:
        jvm = session.start_jvm(find_java(), Path(folder), flags)
        try:
            yield jvm, Path(folder)
        finally:
            jvm.stop()


def main(target: Path) -> None:
    """Run both engines once in a JVM that writes its cache when it exits."""
    java = find_java()
    with _jvm(classcache.recording(java, target)) as (jvm, scratch):
        joined = session.join(jvm.port, jvm.secret)
        minutes = [n * 600_000_000 for n in range(4)]
        rows = [{"add": {"rows": [{"at": minute, "page": "a"}]}} for minute in minutes]
        replay = structured.Replay(joined.spark, _late_counts, _request("structured", {"rows": "at TIMESTAMP, page STRING"}, rows), scratch)
        replay.run()
        replay.clean()
        lines = [{"add": {"lines": [{"value": "a"}]}}] * 2
        batches = dstreams.Replay(joined.context, _words, _request("dstream", {"lines": "STRING"}, lines), scratch)
        batches.run()
        batches.clean()
        joined.context.stop()
        jvm.process.communicate(timeout=240)  # closes its input: it exits and writes the cache


def make_jar() -> None:
    """Compile in a JVM of Spark's that ends with this process."""
    from pyspark.java_gateway import launch_gateway

    with _jvm() as (jvm, _):
        os.environ |= {"PYSPARK_GATEWAY_PORT": str(jvm.port), "PYSPARK_GATEWAY_SECRET": jvm.secret}
        localfiles.compile_with(launch_gateway())  # type: ignore[no-untyped-call]  # PySpark's own


if __name__ == "__main__":
    if sys.argv[1] == "--jar":
        make_jar()
    else:
        main(Path(sys.argv[1]))
