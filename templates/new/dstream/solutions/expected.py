"""What a right program emits for each batch of lines, and what known mistakes would emit."""

from collections import Counter

from autograder.content.expected import batches, dstream
from autograder.content.mistakes import but
from autograder.model import Mistake


def count_words(fixture, *, least, words=str.split):
    """The words of each batch that come at least so often, with their count."""
    counts = [Counter(word for line in batch for word in words(line)) for batch in batches(fixture)]
    return dstream([[pair for pair in found.items() if pair[1] >= least] for found in counts], ("word", "count"))


EMITS = {"count_words": count_words}
MISTAKES = {
    "count_words": (
        Mistake("lines_counted", "Whole lines are counted, not their words.", but(words=lambda line: [line])),
        Mistake("least_ignored", "Words that come too seldom are given out too.", but(least=1)),
    ),
}
