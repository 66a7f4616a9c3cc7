"""Run a function on Spark's real ``kafka`` source, outside the marks.

``python -m autograder.untrusted.connector_demo FILE FUNCTION BOOTSTRAP TOPIC CLASSPATH`` prints a JSON line for every micro-batch.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from autograder.machine import jvm, paths
from autograder.machine.java import find_java
from autograder.untrusted import session, submission
from autograder.untrusted.structured import plain

_RECORDS_AT_ONCE = 4


def main(argv: list[str]) -> int:
    """Read the topic from its beginning to its present end, a few records at a time."""
    file, name, bootstrap, topic, connector = argv
    scratch = Path(tempfile.mkdtemp(prefix="autograder-live-", dir=paths.scratch_root()))
    started = jvm.start_jvm(find_java(), scratch, more=connector)
    try:
        spark = session.join(started.port, started.secret).spark
        build = getattr(submission.load(file, submission.read(file)), name)
        options = {"kafka.bootstrap.servers": bootstrap, "subscribe": topic, "startingOffsets": "earliest"}
        records = spark.readStream.format("kafka").options(**options, maxOffsetsPerTrigger=_RECORDS_AT_ONCE).load()
        writer = build(records.drop("timestampType")).writeStream.outputMode("update").foreachBatch(_show)
        query = writer.option("checkpointLocation", str(scratch / "checkpoint")).trigger(availableNow=True).start()
        query.awaitTermination()
    finally:
        started.stop()
        shutil.rmtree(scratch, ignore_errors=True)
    return 0


def _show(frame: Any, batch_id: int) -> None:
    rows = sorted([plain(cell) for cell in row] for row in frame.collect())
    sys.stdout.write(json.dumps({"batch": batch_id, "columns": frame.columns, "rows": rows}) + "\n")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
