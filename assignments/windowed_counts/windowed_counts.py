"""Windowed counts: views of pages in sliding windows, of batches (DStreams) and of event time (Structured Streaming).

Run by hand, it counts what is typed into a socket; the handout says how.
"""

import argparse

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.streaming import DStream, StreamingContext


def counts_by_window(pages: DStream, window: int, slide: int) -> DStream:
    """(page, views) of the last ``window`` seconds, every ``slide`` seconds, each window counted afresh."""
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def counts_with_inverse(pages: DStream, window: int, slide: int, checkpoint: str) -> DStream:
    """The same counts out of the window before: what comes is added, what leaves is taken off."""
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def peak(load: DStream, window: int, slide: int) -> DStream:
    """The largest load of the last ``window`` seconds, every ``slide`` seconds; nothing for an empty window."""
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def counts_in_event_time(views: DataFrame, event_window: str, event_slide: str, offset: str) -> DataFrame:
    """Views by page and sliding window of ``at``; windows begin ``offset`` after the full hour.

    Returns columns window_start, window_end, page, views. Runs in update mode.
    """
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


if __name__ == "__main__":
    import autograder

    parser = argparse.ArgumentParser(description="Count the pages that come in over a socket, one a line.")
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    parser.add_argument("--window", type=int, default=10)
    parser.add_argument("--slide", type=int, default=2)
    arguments = parser.parse_args()
    streaming = StreamingContext(autograder.spark().sparkContext, 1)
    counts_by_window(streaming.socketTextStream(arguments.host, arguments.port), arguments.window, arguments.slide).pprint()
    streaming.start()
    streaming.awaitTermination()
