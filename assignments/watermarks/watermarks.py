"""Watermarks and late events: departures from an airport, in event time.

A departure has a scheduled time (the event time) and the time at which the plane left. Reports arrive in the order in
which planes leave, so a delayed flight is a late event. Run by hand, it reads CSV files as they appear in a folder.
"""

import argparse

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

SCHEMA = "scheduled_at TIMESTAMP, departed_at TIMESTAMP, carrier STRING, flight INT"


def departures_per_window(departures: DataFrame, window: str, delay: str) -> DataFrame:
    """Departures by carrier and tumbling window of their scheduled time, waiting ``delay`` for late ones.

    Returns columns window_start, window_end, carrier, departures. Runs in append mode.
    """
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def unique_departures(departures: DataFrame, delay: str) -> DataFrame:
    """Each flight (carrier and flight number) once, however often it is reported within ``delay``.

    Returns columns carrier, flight. Runs in append mode and forgets flights that the watermark has passed.
    """
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def busy_periods(departures: DataFrame, gap: str, delay: str) -> DataFrame:
    """Periods in which a carrier's departures follow each other by no more than ``gap``.

    Returns columns period_start, period_end, carrier, departures. Runs in append mode.
    """
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


if __name__ == "__main__":
    import autograder

    parser = argparse.ArgumentParser(description="Count departures in the CSV files of a folder, as they appear.")
    parser.add_argument("folder")
    parser.add_argument("--window", default="15 minutes")
    parser.add_argument("--delay", default="10 minutes")
    arguments = parser.parse_args()
    stream = autograder.spark().readStream.schema(SCHEMA).option("header", True).option("maxFilesPerTrigger", 1).csv(arguments.folder)
    counts = departures_per_window(stream, arguments.window, arguments.delay)
    counts.writeStream.outputMode("append").format("console").option("truncate", False).start().awaitTermination()
