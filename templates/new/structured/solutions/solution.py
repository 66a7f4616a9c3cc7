"""<< slug >>: events by kind and window of their event time.

An event has the time at which it happened (``at``, the event time) and its kind. Some events arrive late.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def count_by_window(events: DataFrame, window: str, delay: str) -> DataFrame:
    """Events by kind and tumbling window of ``at``, waiting ``delay`` for late ones.

    Returns columns window_start, window_end, kind, events. Runs in append mode.
    """
    ### BEGIN SOLUTION
    counts = events.withWatermark("at", delay).groupBy(F.window("at", window), "kind").count()
    return counts.select(
        F.col("window.start").alias("window_start"),
        F.col("window.end").alias("window_end"),
        "kind",
        F.col("count").alias("events"),
    )
    ### END SOLUTION
