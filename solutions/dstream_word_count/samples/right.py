# Word count with DStreams, by Alva
import string
from operator import add


def tidy(line):
    words = [word.strip(string.punctuation).lower() for word in line.split()]
    return [word for word in words if word]


def words_per_batch(lines):
    return lines.flatMap(tidy).map(lambda word: (word, 1)).reduceByKey(add)


def running_totals(lines, expiry, checkpoint):
    lines.context().checkpoint(checkpoint)

    def update(counts, old):
        if counts:
            return ((old[0] if old else 0) + sum(counts), 0)
        total, quiet = old
        if quiet + 1 == expiry:
            return None
        return (total, quiet + 1)

    return words_per_batch(lines).updateStateByKey(update).map(lambda pair: (pair[0], pair[1][0]))


def new_words(lines, checkpoint):
    lines.context().checkpoint(checkpoint)

    def update(counts, old):
        return "old" if old is not None else sum(counts)

    return words_per_batch(lines).updateStateByKey(update).filter(lambda pair: pair[1] != "old")
