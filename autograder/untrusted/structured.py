"""Replay a fixture through a Structured Streaming query: Spark's own MemoryStream, one step after the other."""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from autograder.untrusted.session import Joined
from autograder.untrusted.stopped import Stopped, from_exception
from autograder.untrusted.submission import FILE, traps
from autograder.wire import Add, Ask, Batch, ReplayAnswer, ReplayRequest, ReplayStep, Restart, Row

_EPOCH = datetime(1970, 1, 1)  # the child runs in UTC, where PySpark's naive datetimes are UTC
_MAX_ROWS = 10_000


class Replay:
    """One fixture, one function, one checkpoint."""

    def __init__(self, joined: Joined, build: Callable[..., Any], request: ReplayRequest, scratch: Path) -> None:
        spark = joined.spark
        self.spark, self.build, self.request = spark, build, request
        self.store: Path | None = scratch / "store.sqlite" if "store" in request.provides else None
        self.checkpoint = scratch / "checkpoint"
        self.sources = {
            name: _Source(spark, index, request.schemas[name], request.partitions) for index, name in enumerate(request.sources)
        }
        self.collected: list[tuple[int, list[Any]]] = []
        self.columns: list[tuple[str, str]] = []
        self.progress: dict[int, dict[str, Any]] = {}
        self.query: Any = None
        spark.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", str(request.no_data_batches).lower())
        spark.conf.set("spark.sql.shuffle.partitions", str(request.partitions))

    def run(self, part: range) -> ReplayAnswer:
        """Start, feed these steps, stop; what was observed. Raises Stopped with the step at which it went wrong.

        A part that does not begin with the first step begins with a restart, on what the processes before it have left on the disk.
        The sources are new in each process: what arrived before is put into them again, where the query's checkpoint finds it.
        """
        for step in self.request.steps[: part.start]:
            self.arrive(step)
        if not isinstance(self.request.steps[part.start], Restart):
            self.start(None)
        steps: list[list[tuple[int, list[Any]]]] = []
        for index in part:
            self.collected = []
            self.step(index, self.request.steps[index])
            steps.append(self.collected if self.store is None else [(-1, self.stored())])
        self.stop()
        observed = tuple(tuple(self.batch(batch_id, rows) for batch_id, rows in batches) for batches in steps)
        return ReplayAnswer(self.request.id, tuple(self.columns), observed)

    def arrive(self, step: ReplayStep) -> None:
        """Put a step's rows into the sources."""
        if isinstance(step, Add):
            for name, found in step.rows.items():
                self.sources[name].add(found)

    def step(self, index: int, step: ReplayStep) -> None:
        """Feed one step and wait until the query has nothing left to do."""
        match step:
            case Restart(crash=crash):
                if crash:
                    self.lose_last_commit()
                self.start(index)
            case Add():
                self.arrive(step)
            case Ask():
                raise TypeError("a stream is not asked")
        wait = self.query.processAllAvailable  # bound before the traps are set
        try:
            with traps():
                wait()
        except BaseException as error:
            raise from_exception(error, FILE, "raised_at_step", index) from error

    def start(self, index: int | None) -> None:
        """Call the submission's function and start what it returns."""
        writer = self.writer(index)
        writer = writer.option("checkpointLocation", str(self.checkpoint))
        if self.store is None:
            writer = writer.foreachBatch(self.collect)
        try:
            self.query = writer.start()
        except Exception as error:
            raise from_exception(error, FILE, "refused", index) from error

    def writer(self, index: int | None) -> Any:
        """What the submission's function returns, as a writer."""
        provides = {"store": str(self.store), "checkpoint": str(self.checkpoint)}
        keywords = {**self.request.parameters, **{name: provides[name] for name in self.request.provides}}
        frames = [source.frame for source in self.sources.values()]
        try:
            with traps():
                result = self.build(*frames, **keywords)
        except BaseException as error:
            raise from_exception(error, FILE, "raised", index) from error
        self.refuse_leftovers()
        return as_writer(result, self.request.mode)

    def refuse_leftovers(self) -> None:
        """A query that runs now was started behind the traps."""
        if self.spark.streams.active:
            raise Stopped("started", "a query of its own")

    def collect(self, frame: Any, batch_id: int) -> None:
        """The sink: every batch's rows, as they are emitted."""
        self.columns = [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]
        rows = frame.collect()
        if len(rows) > _MAX_ROWS:
            raise Stopped("too_many_rows", str(len(rows)))
        self.collected.append((batch_id, [[plain(cell) for cell in row] for row in rows]))

    def stored(self) -> list[Any]:
        """The content of the store's one table whose name does not start with ``_``. A column's kind is its name, and ``key``."""
        with closing(sqlite3.connect(self.store or "")) as store:
            names = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
            tables = [name for name in names if not name.startswith(("_", "sqlite_"))]
            if len(tables) > 1:
                raise Stopped("too_many_tables", ", ".join(tables))
            if not tables:
                return []
            quoted = tables[0].replace('"', '""')
            keys = {name for _, name, *_, place in store.execute(f'PRAGMA table_info("{quoted}")') if place}
            found = store.execute(f'SELECT * FROM "{quoted}"')  # noqa: S608  # quoted
            self.columns = [(str(name), f"{tables[0]}{' key' * (name in keys)}") for name, *_ in found.description]
            return [list(row) for row in found.fetchmany(_MAX_ROWS)]

    def stop(self) -> None:
        """Stop the query, keeping what its progress says of each batch."""
        for entry in self.query.recentProgress:
            found = json.loads(entry.json) if hasattr(entry, "json") else entry
            if "addBatch" in found["durationMs"]:
                self.progress[found["batchId"]] = found
        self.query.stop()

    def lose_last_commit(self) -> None:
        """A crash after the sink had run and before the commit was written: the newest batch will run again."""
        commits = self.checkpoint / "commits"
        numbers = [int(path.name) for path in commits.iterdir() if path.name.isdigit()]
        if numbers:
            newest = commits / str(max(numbers))
            newest.unlink()
            (commits / f".{newest.name}.crc").unlink(missing_ok=True)

    def batch(self, batch_id: int, rows: list[Any]) -> Batch:
        """One batch as the observation carries it."""
        progress = self.progress.get(batch_id)
        if progress is None:
            return Batch(rows)
        operators = progress.get("stateOperators", [])
        return Batch(
            rows,
            watermark=_milliseconds(progress.get("eventTime", {}).get("watermark")),
            dropped=sum(operator["numRowsDroppedByWatermark"] for operator in operators),
            state=sum(operator["numRowsTotal"] for operator in operators),
        )

    def clean(self) -> None:
        """Leave no query of this session for the next replay, however it was started."""
        for query in self.spark.streams.active:
            query.stop()


class _Source:
    """A MemoryStream that is fed JSON, seen by the submission as a stream with the fixture's columns."""

    def __init__(self, spark: Any, index: int, columns: Sequence[tuple[str, str]], partitions: int) -> None:
        from pyspark.sql.classic.dataframe import DataFrame

        jvm = spark._jvm
        runtime = jvm.org.apache.spark.sql.execution.streaming.runtime
        slices = jvm.scala.Option.apply(partitions if partitions > 1 else None)
        self._convert = jvm.scala.jdk.javaapi.CollectionConverters
        self._stream = runtime.MemoryStream(index, spark._jsparkSession, slices, jvm.org.apache.spark.sql.Encoders.STRING())
        self._times = [name for name, kind in columns if kind == "TIMESTAMP"]
        self._binary = [name for name, kind in columns if kind == "BINARY"]
        ddl = ", ".join(f"{name} {kind}" for name, kind in columns)
        rows = DataFrame(self._stream.toDF(), spark).selectExpr(f"from_json(value, '{ddl}') AS row")
        self.frame = rows.select("row.*")

    def add(self, rows: Sequence[Row]) -> None:
        """Rows that arrive together. No rows are no arrival: MemoryStream would make a data batch of them."""
        if not rows:
            return
        lines = [json.dumps(row | self._spelled(row)) for row in rows]
        self._stream.addData(self._convert.asScala(lines).toSeq())

    def _spelled(self, row: Row) -> Row:
        """The cells that from_json reads in a spelling of their own."""
        return {name: _iso(row[name]) for name in self._times} | {name: _base64(row[name]) for name in self._binary}


def as_writer(result: Any, mode: str | None) -> Any:
    """What a submission returned, ready to start. Raises Stopped when it is no stream."""
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    wanted: Any = DataStreamWriter if mode is None else DataFrame
    if result is None:
        raise Stopped("returned_none", wanted.__name__)
    if not isinstance(result, wanted):
        raise Stopped("returned_other", f"{type(result).__name__}, not {wanted.__name__}")
    if mode is None:
        return result
    if not result.isStreaming:
        raise Stopped("returned_batch", "")
    return result.writeStream.outputMode(mode)


def plain(cell: Any) -> Any:  # noqa: PLR0911  # one case a type
    """A cell as JSON can carry it: instants as microseconds since the epoch, structs as objects."""
    if isinstance(cell, datetime):
        return (cell.replace(tzinfo=None) - _EPOCH) // timedelta(microseconds=1)
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, Decimal):
        return int(cell) if cell == cell.to_integral_value() else float(cell)
    if isinstance(cell, (bytes, bytearray)):
        return cell.hex()
    if hasattr(cell, "asDict"):
        return {name: plain(value) for name, value in cell.asDict().items()}
    if isinstance(cell, (list, tuple, set, frozenset)):
        items = [plain(item) for item in cell]
        return sorted(items, key=repr) if isinstance(cell, (set, frozenset)) else items
    if isinstance(cell, dict):
        return {str(plain(key)): plain(value) for key, value in cell.items()}
    return cell if cell is None or isinstance(cell, (bool, int, float, str)) else repr(cell)[:200]


def _iso(microseconds: int | None) -> str | None:
    return None if microseconds is None else (_EPOCH + timedelta(microseconds=microseconds)).isoformat(timespec="microseconds") + "Z"


def _base64(text: str | None) -> str | None:
    """Bytes as from_json reads them."""
    return None if text is None else base64.b64encode(text.encode("utf-8", "surrogateescape")).decode()


def _milliseconds(watermark: str | None) -> int | None:
    if watermark is None:
        return None
    moment = datetime.fromisoformat(watermark.replace("Z", "+00:00")).replace(tzinfo=None)
    return (moment - _EPOCH) // timedelta(milliseconds=1)
