"""What right programs emit on a stream of lines, and what known mistakes would emit."""

import re
import string

from autograder.content.expected import batches, dstream
from autograder.model import Mistake
from autograder.oracle import per_batch, reduce_by_key, update_state_by_key


def words_of(line):
    """The words of a line, as the handout defines them."""
    return [word for word in (part.strip(string.punctuation).lower() for part in line.split()) if word]


def _ones(fixture, words=words_of):
    return [[(word, 1) for word in batch] for batch in per_batch(batches(fixture), words)]


def _add(a, b):
    return a + b


def words_per_batch(fixture, *, words=words_of):
    """Counts of each batch."""
    return dstream([reduce_by_key(pairs, _add) for pairs in _ones(fixture, words)], ("word", "count"))


def _totals(fixture, expiry):
    def update(new, state):
        total, quiet = state or (0, 0)
        quiet = 0 if new else quiet + 1
        return None if quiet >= expiry else (total + sum(new), quiet)

    return [[(word, state[0]) for word, state in found] for found in update_state_by_key(_ones(fixture), update)]


def running_totals(fixture, *, expiry):
    """Totals, forgotten after so many quiet batches."""
    return dstream(_totals(fixture, expiry), ("word", "total"))


def _states(fixture, update, keep=lambda _: True, value=lambda state: state):
    found = update_state_by_key(_ones(fixture), update)
    return dstream([[(word, value(state)) for word, state in pairs if keep(state)] for pairs in found], ("word", "x"))


def _named(outputs, name):
    from dataclasses import replace

    def row(found):
        word, value = found.values()
        return {"word": word, name: value}

    return tuple(replace(step, batches=tuple(replace(b, rows=tuple(row(found) for found in b.rows)) for b in step.batches)) for step in outputs)


def new_words(fixture):
    """Words never seen before, with their count in the batch."""

    def update(new, state):
        return (sum(new), True) if state is None else (0, False)

    return _named(_states(fixture, update, lambda s: s[1], lambda s: s[0]), "count")


def _total_without(fixture, update, value=lambda state: state):
    return _named(_states(fixture, update, value=value), "total")


def _never_reset(fixture, expiry):
    def update(new, state):
        total, quiet = state or (0, 0)
        quiet = quiet if new else quiet + 1
        return None if quiet >= expiry else (total + sum(new), quiet)

    return _total_without(fixture, update, lambda s: s[0])


EMITS = {"words_per_batch": words_per_batch, "running_totals": running_totals, "new_words": new_words}

_NO_CHECKPOINT = ("refused", "checkpoint directory has not been set")


def _words(function):
    return lambda fixture: words_per_batch(fixture, words=function)


MISTAKES = {
    "words_per_batch": (
        Mistake("single_spaces", "Lines are split at single spaces: two spaces make an empty word, a tab none.", emits=_words(lambda line: [w.strip(string.punctuation).lower() for w in line.split(" ")])),
        Mistake("empty_words", "What is nothing but punctuation is counted as an empty word.", emits=_words(lambda line: [w.strip(string.punctuation).lower() for w in line.split()])),
        Mistake("case", "Capitals make another word.", emits=_words(lambda line: [w for w in (p.strip(string.punctuation) for p in line.split()) if w])),
        Mistake("punctuation", "Punctuation stays at the words.", emits=_words(lambda line: line.lower().split())),
        Mistake("all_punctuation", "Punctuation inside a word is taken out too.", emits=_words(lambda line: [w for w in (re.sub("[" + re.escape(string.punctuation) + "]", "", p.lower()) for p in line.split()) if w])),
        Mistake("word_pattern", "A pattern such as \\w+ cuts words at apostrophes and hyphens.", emits=_words(lambda line: re.findall(r"\w+", line.lower()))),
        Mistake("ascii_only", "Only the letters a to z count, so other letters cut words.", emits=_words(lambda line: [w for w in (p.strip("-'") for p in re.findall(r"[a-z0-9'-]+", line.lower())) if w])),
        Mistake("lines_counted", "Lines are counted, not words.", emits=_words(lambda line: [line])),
        Mistake("only_once", "A word counts once a line.", emits=_words(lambda line: sorted(set(words_of(line))))),
        Mistake("running", "The counts run on; each batch is to be counted by itself.", emits=lambda f: _named(_total_without(f, lambda new, old: sum(new) + (old or 0)), "count")),
    ),
    "running_totals": (
        Mistake("no_checkpoint", "The checkpoint folder is not set: lines.context() knows how.", failure=_NO_CHECKPOINT),
        Mistake("per_batch", "Each batch is counted by itself: the state so far is left out.", emits=lambda f, *, expiry: _total_without(f, lambda new, old: sum(new) or None)),
        Mistake("state_left_out", "The new total leaves the old one out.", emits=lambda f, *, expiry: _total_without(f, lambda new, old: (sum(new), 0) if new else None if (old[1] + 1) >= expiry else (old[0], old[1] + 1), lambda s: s[0])),
        Mistake("quiet_is_forgotten", "A word is forgotten as soon as a batch is without it.", emits=lambda f, *, expiry: running_totals(f, expiry=1)),
        Mistake("never_forgotten", "Words are never forgotten.", emits=lambda f, *, expiry: running_totals(f, expiry=10**6)),
        Mistake("one_batch_late", "A word is forgotten one batch too late.", emits=lambda f, *, expiry: running_totals(f, expiry=expiry + 1)),
        Mistake("one_batch_early", "A word is forgotten one batch too early.", emits=lambda f, *, expiry: running_totals(f, expiry=expiry - 1)),
        Mistake("expiry_hard_coded", "The expiry stands in the code.", emits=lambda f, *, expiry: running_totals(f, expiry=3)),
        Mistake("quiet_never_reset", "Quiet batches are added up although the word came in between.", emits=lambda f, *, expiry: _never_reset(f, expiry)),
        Mistake("values_counted", "The update function counts the values instead of adding them.", emits=lambda f, *, expiry: _named(_counted(f, expiry), "total")),
    ),
    "new_words": (
        Mistake("no_checkpoint", "The checkpoint folder is not set: lines.context() knows how.", failure=_NO_CHECKPOINT),
        Mistake("all_words", "All words of the batch are reported, also those seen before.", emits=lambda f: words_per_batch(f)),
        Mistake("ones", "The count of a new word is always 1.", emits=lambda f: _named(_states(f, lambda new, old: old is None, lambda s: s, lambda s: 1), "count")),
        Mistake("forgets", "A word that stays away for a batch is taken for new when it comes back.", emits=lambda f: _named(_states(f, lambda new, old: None if not new else (sum(new), old is None), lambda s: s[1], lambda s: s[0]), "count")),
        Mistake("once_in_all", "Words that came once in all are taken for new.", emits=lambda f: _named(_states(f, lambda new, old: (old or 0) + sum(new), lambda s: s == 1), "count")),
        Mistake("stays_new", "A word is reported again in every later batch.", emits=lambda f: _named(_states(f, lambda new, old: old or sum(new)), "count")),
    ),
}


def _counted(fixture, expiry):
    def update(new, state):
        total, quiet = state or (0, 0)
        quiet = 0 if new else quiet + 1
        return None if quiet >= expiry else (total + len(new), quiet)

    reduced = [reduce_by_key(pairs, _add) for pairs in _ones(fixture)]
    found = update_state_by_key(reduced, update)
    return dstream([[(word, state[0]) for word, state in pairs] for pairs in found], ("word", "x"))
