"""Output modes: one stream of page views, three results, a ranking, and a table that survives a crash.

Run by hand, it shows one of the results on the console, for views that Spark makes up.
"""

import argparse
import sqlite3
from contextlib import closing

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming import DataStreamWriter


def changed_counts(views: DataFrame) -> DataStreamWriter:
    """Views by page; at each trigger only the pages that changed. Columns page, views."""
    ### BEGIN SOLUTION
    return _counts(views).writeStream.outputMode("update")
    ### END SOLUTION


def all_counts(views: DataFrame) -> DataStreamWriter:
    """Views by page; at each trigger all pages. Columns page, views."""
    ### BEGIN SOLUTION
    return _counts(views).writeStream.outputMode("complete")
    ### END SOLUTION


def final_counts(views: DataFrame, window: str, delay: str) -> DataStreamWriter:
    """Views by window of ``at`` and page, once, when they are final. Columns window_start, window_end, page, views."""
    ### BEGIN SOLUTION
    counted = views.withWatermark("at", delay).groupBy(F.window("at", window), "page").count()
    named = counted.select(
        F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "page", F.col("count").alias("views")
    )
    return named.writeStream.outputMode("append")
    ### END SOLUTION


def top_pages(views: DataFrame, n: int) -> DataStreamWriter:
    """The ``n`` most viewed pages at each trigger, the most viewed first, equal ones by name. Columns page, views."""
    ### BEGIN SOLUTION
    return _counts(views).orderBy(F.desc("views"), "page").limit(n).writeStream.outputMode("complete")
    ### END SOLUTION


def upsert_counts(views: DataFrame, store: str) -> DataStreamWriter:
    """Keep the table ``page_views(page, views)`` of the SQLite file ``store`` up to date, each batch counted once."""
    ### BEGIN SOLUTION

    def upsert(batch, batch_id):
        rows = [(row["page"], row["views"]) for row in batch.collect()]
        with closing(sqlite3.connect(store)) as table, table:
            table.execute("CREATE TABLE IF NOT EXISTS page_views (page TEXT PRIMARY KEY, views INTEGER)")
            table.executemany("INSERT INTO page_views VALUES (?, ?) ON CONFLICT (page) DO UPDATE SET views = excluded.views", rows)

    return _counts(views).writeStream.outputMode("update").foreachBatch(upsert)
    ### END SOLUTION


def allowed_modes(query: str) -> dict[str, str]:
    """For a query of the handout: "ok" or the reason why not, for each of append, update and complete."""
    ### BEGIN SOLUTION
    counted = {"append": "needs_watermark", "update": "ok", "complete": "ok"}
    closed = {"append": "ok", "update": "ok", "complete": "ok"}
    rows = {"append": "ok", "update": "ok", "complete": "no_aggregation"}
    return {
        "filter": rows,
        "distinct": rows,
        "count": counted,
        "windowed_count": counted,
        "count_with_watermark_elsewhere": counted,
        "windowed_count_with_watermark": closed,
        "session_with_watermark": {"append": "ok", "update": "session_window", "complete": "ok"},
        "sorted_filter": {"append": "sorting", "update": "sorting", "complete": "no_aggregation"},
        "top_pages": {"append": "sorting", "update": "sorting", "complete": "ok"},
    }[query]
    ### END SOLUTION


def _counts(views: DataFrame) -> DataFrame:
    """Views by page: columns page, views."""
    ### BEGIN SOLUTION
    return views.groupBy("page").agg(F.count("*").alias("views"))
    ### END SOLUTION


if __name__ == "__main__":
    import autograder

    parser = argparse.ArgumentParser(description="Show a result for views that Spark makes up, one a second.")
    parser.add_argument("result", choices=["changed_counts", "all_counts", "final_counts", "top_pages"])
    name = parser.parse_args().result
    made_up = autograder.spark().readStream.format("rate").load()
    stream = made_up.selectExpr("timestamp AS at", "concat('page ', value % 5) AS page", "'ann' AS user")
    more = {"final_counts": ("10 seconds", "5 seconds"), "top_pages": (3,)}.get(name, ())
    globals()[name](stream, *more).format("console").start().awaitTermination()
