"""DStream word count: words per batch, running totals that forget, and new words.

Run by hand, it counts what is typed into a socket; the handout says how.
"""

import argparse
import string

from pyspark.streaming import DStream, StreamingContext


def words_per_batch(lines: DStream) -> DStream:
    """(word, count) for each batch by itself.

    A word stands between white space, is in lower case, and has no punctuation at its ends.
    """
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def running_totals(lines: DStream, expiry: int, checkpoint: str) -> DStream:
    """(word, total) for all words so far; a word is forgotten after ``expiry`` batches in a row without it."""
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def new_words(lines: DStream, checkpoint: str) -> DStream:
    """(word, count in this batch) for the words that no earlier batch had."""
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def _words(lines: DStream) -> DStream:
    """The words of every line, as the handout defines them."""
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


if __name__ == "__main__":
    import autograder

    parser = argparse.ArgumentParser(description="Count the words that come in over a socket, every five seconds.")
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    arguments = parser.parse_args()
    streaming = StreamingContext(autograder.spark().sparkContext, 5)
    words_per_batch(streaming.socketTextStream(arguments.host, arguments.port)).pprint()
    streaming.start()
    streaming.awaitTermination()
