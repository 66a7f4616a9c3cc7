"""What right programs emit on a stream of lines, and what known mistakes would emit."""

import re
import string

from autograder.content.expected import batches, dstream
from autograder.content.mistakes import but, computed
from autograder.model import Mistake
from autograder.oracle import per_batch, reduce_by_key, update_state_by_key


def words_of(line, separator=None, case=str.lower):
    """A word stands between white space, is in lower case, and has no punctuation at its ends; what has nothing left is no word."""
    return [word for word in pieces_of(line, separator, case) if word]


def pieces_of(line, separator=None, case=str.lower):
    """The same, with empty words."""
    return [case(piece.strip(string.punctuation)) for piece in line.split(separator)]


def _ones(fixture, words=words_of):
    return [[(word, 1) for word in batch] for batch in per_batch(batches(fixture), words)]


def words_per_batch(fixture, *, words=words_of):
    """The words of each batch by itself, with their count."""
    return dstream([reduce_by_key(ones, lambda a, b: a + b) for ones in _ones(fixture, words)], ("word", "count"))


def running_totals(
    fixture, *, expiry, total=lambda old, new: old + sum(new), quiet=lambda old, new: 0 if new else old + 1, column="total"
):
    """All words so far with their total, in every batch; a word that stays away for `expiry` batches in a row is forgotten."""

    def update(new, state):
        old, away = state or (0, 0)
        return None if quiet(away, new) >= expiry else (total(old, new), quiet(away, new))

    states = update_state_by_key(_ones(fixture), update)
    return dstream([[(word, state[0]) for word, state in batch] for batch in states], ("word", column))


def _when_first_seen(new, state):
    return (sum(new), True) if state is None else (0, False)


def new_words(fixture, *, update=_when_first_seen):
    """The words that no earlier batch had, with their count in this one. A state is a count and whether it is reported."""
    states = update_state_by_key(_ones(fixture), update)
    return dstream([[(word, count) for word, (count, reported) in batch if reported] for batch in states], ("word", "count"))


def _no_punctuation(line):
    return words_of(re.sub(f"[{re.escape(string.punctuation)}]", "", line))


def _ascii_words(line):
    return words_of(re.sub(r"[^a-z0-9'-]", " ", line.lower()))


def _forgotten_when_away(new, state):
    return (sum(new), state is None) if new else None


def _when_once_in_all(new, state):
    total = sum(new) + (state[0] if state else 0)
    return total, total == 1


EMITS = {"words_per_batch": words_per_batch, "running_totals": running_totals, "new_words": new_words}
_NO_CHECKPOINT = Mistake("no_checkpoint", "The checkpoint folder is not set: lines.context() knows how.",
    failure=("refused", "checkpoint directory has not been set"))
_NEVER = 10**6  # batches
MISTAKES = {
    "words_per_batch": (
        Mistake("single_spaces", "Lines are split at single spaces: two spaces make an empty word, a tab none.",
            but(words=lambda line: pieces_of(line, " "))),
        Mistake("empty_words", "What is nothing but punctuation is counted as an empty word.", but(words=pieces_of)),
        Mistake("case", "Capitals make another word.", but(words=lambda line: words_of(line, case=str))),
        Mistake("punctuation", "Punctuation stays at the words.", but(words=lambda line: line.lower().split())),
        Mistake("all_punctuation", "Punctuation inside a word is taken out too.", but(words=_no_punctuation)),
        Mistake("word_pattern", "A pattern such as \\w+ cuts words at apostrophes and hyphens.",
            but(words=lambda line: re.findall(r"\w+", line.lower()))),
        Mistake("ascii_only", "Only the letters a to z count, so other letters cut words.", but(words=_ascii_words)),
        Mistake("lines_counted", "Lines are counted, not words.", but(words=lambda line: [line])),
        Mistake("only_once", "A word counts once a line.", but(words=lambda line: sorted(set(words_of(line))))),
        Mistake("running", "The counts run on; each batch is to be counted by itself.", but(running_totals, expiry=_NEVER, column="count")),
    ),
    "running_totals": (
        _NO_CHECKPOINT,
        Mistake("per_batch", "Each batch is counted by itself: the state so far is left out.",
            but(expiry=1, total=lambda old, new: sum(new))),
        Mistake("state_left_out", "The new total leaves the old one out.", but(total=lambda old, new: sum(new) or old)),
        Mistake("quiet_is_forgotten", "A word is forgotten as soon as a batch is without it.", but(expiry=1)),
        Mistake("never_forgotten", "Words are never forgotten.", but(expiry=_NEVER)),
        Mistake("one_batch_late", "A word is forgotten one batch too late.", but(expiry=computed("expiry + 1"))),
        Mistake("one_batch_early", "A word is forgotten one batch too early.", but(expiry=computed("expiry - 1"))),
        Mistake("quiet_never_reset", "Quiet batches are added up although the word came in between.",
            but(quiet=lambda old, new: old if new else old + 1)),
        Mistake("values_counted", "The update function counts the values instead of adding them.",
            but(total=lambda old, new: old + min(len(new), 1))),
    ),
    "new_words": (
        _NO_CHECKPOINT,
        Mistake("all_words", "All words of the batch are reported, also those seen before.", words_per_batch),
        Mistake("ones", "The count of a new word is always 1.", but(update=lambda new, state: (1, state is None))),
        Mistake("forgets", "A word that stays away for a batch is taken for new when it comes back.", but(update=_forgotten_when_away)),
        Mistake("once_in_all", "Words that came once in all are taken for new.", but(update=_when_once_in_all)),
        Mistake("stays_new", "A word is reported again in every later batch.", but(update=lambda new, state: state or (sum(new), True))),
    ),
}
