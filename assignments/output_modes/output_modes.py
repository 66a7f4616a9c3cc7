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
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def all_counts(views: DataFrame) -> DataStreamWriter:
    """Views by page; at each trigger all pages. Columns page, views."""
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def final_counts(views: DataFrame, window: str, delay: str) -> DataStreamWriter:
    """Views by window of ``at`` and page, once, when they are final. Columns window_start, window_end, page, views."""
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def top_pages(views: DataFrame, n: int) -> DataStreamWriter:
    """The ``n`` most viewed pages at each trigger, the most viewed first, equal ones by name. Columns page, views."""
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def upsert_counts(views: DataFrame, store: str) -> DataStreamWriter:
    """Keep the table ``page_views(page, views)`` of the SQLite file ``store`` up to date, each batch counted once."""
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def allowed_modes(query: str) -> dict[str, str]:
    """For a query of the handout: "ok" or the reason why not, for each of append, update and complete."""
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def _counts(views: DataFrame) -> DataFrame:
    """Views by page: columns page, views."""
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


if __name__ == "__main__":
    import autograder

    parser = argparse.ArgumentParser(description="Show a result for views that Spark makes up, one a second.")
    parser.add_argument("result", choices=["changed_counts", "all_counts", "final_counts", "top_pages"])
    name = parser.parse_args().result
    made_up = autograder.spark().readStream.format("rate").load()
    stream = made_up.selectExpr("timestamp AS at", "concat('page ', value % 5) AS page", "'ann' AS user")
    more = {"final_counts": ("10 seconds", "5 seconds"), "top_pages": (3,)}.get(name, ())
    globals()[name](stream, *more).format("console").start().awaitTermination()
