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
    ### BEGIN SOLUTION
    return _words(lines).map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b)
    ### END SOLUTION


def running_totals(lines: DStream, expiry: int, checkpoint: str) -> DStream:
    """(word, total) for all words so far; a word is forgotten after ``expiry`` batches in a row without it."""
    ### BEGIN SOLUTION
    lines.context().checkpoint(checkpoint)

    def update(new, state):
        total, quiet = state or (0, 0)
        quiet = 0 if new else quiet + 1
        return None if quiet >= expiry else (total + sum(new), quiet)

    totals = words_per_batch(lines).updateStateByKey(update)
    return totals.mapValues(lambda state: state[0])
    ### END SOLUTION


def new_words(lines: DStream, checkpoint: str) -> DStream:
    """(word, count in this batch) for the words that no earlier batch had."""
    ### BEGIN SOLUTION
    lines.context().checkpoint(checkpoint)

    def update(new, state):
        return (sum(new), True) if state is None else (0, False)

    seen = words_per_batch(lines).updateStateByKey(update)
    return seen.filter(lambda pair: pair[1][1]).mapValues(lambda state: state[0])
    ### END SOLUTION


def _words(lines: DStream) -> DStream:
    """The words of every line, as the handout defines them."""
    ### BEGIN SOLUTION
    words = lines.flatMap(lambda line: line.split()).map(lambda word: word.strip(string.punctuation).lower())
    return words.filter(lambda word: word != "")
    ### END SOLUTION


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
