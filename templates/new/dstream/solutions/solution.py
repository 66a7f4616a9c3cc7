"""<< slug >>: the words of each batch."""

from pyspark.streaming import DStream


def count_words(lines: DStream, least: int) -> DStream:
    """Pairs (word, count) of each batch, for words that come at least so often in it."""
    ### BEGIN SOLUTION
    pairs = lines.flatMap(lambda line: line.split()).map(lambda word: (word, 1))
    return pairs.reduceByKey(lambda a, b: a + b).filter(lambda pair: pair[1] >= least)
    ### END SOLUTION
