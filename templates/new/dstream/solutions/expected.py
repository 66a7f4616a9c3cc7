"""What a right program emits for each batch of lines, and what known mistakes would emit."""

from collections import Counter

from autograder.content.expected import batches, dstream
from autograder.model import Mistake

COLUMNS = ("word", "count")


def count_words(fixture, *, least, split=str.split):
    """Words by batch that come at least so often."""
    counts = [Counter(word for line in batch for word in split(line)) for batch in batches(fixture)]
    return dstream([[pair for pair in found.items() if pair[1] >= least] for found in counts], COLUMNS)


def lines_counted(fixture, *, least):
    """The same, of whole lines."""
    return count_words(fixture, least=least, split=lambda line: [line])


def least_ignored(fixture, *, least):
    """The same, of all words."""
    return count_words(fixture, least=1)


EMITS = {"count_words": count_words}
MISTAKES = {
    "count_words": (
        Mistake("lines_counted", "Whole lines are counted, not their words.", emits=lines_counted),
        Mistake("least_ignored", "Words that come too seldom are given out too.", emits=least_ignored),
    ),
}
