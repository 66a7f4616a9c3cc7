"""Which hint of a check a student is given: the first that is for what failed, else the first that is for anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from autograder.judge.kafka_facts import kinds
from autograder.model import Check, Difference, Fails, Failure, Hint

#: What a hint may be for, as a student and an author read it.
WORDS: Mapping[Fails, str] = {
    "missing": "rows are missing",
    "unexpected": "there are rows that are not expected",
    "different": "rows are missing and others are not expected",
    "order": "the right rows are in another order",
    "output": "there is output where none is expected",
    "silence": "there is no output where some is expected",
    "columns": "the result has other columns",
    "types": "a column has another type",
    "state": "more state is kept than is needed",
    "returned": "the program returns something else, or ends in another way",
    "unhandled": "records are not handled",
    "handled_again": "records are handled more than once",
    "uncommitted": "other offsets are committed than those that were handled",
    "lost": "records are committed and not handled",
    "refused": "Spark refuses the query",
    "raised": "the function raises an error",
    "raised_at_step": "the query dies",
    "raised_in_task": "a function raises an error while rows are processed",
    "returned_other": "the function returns a thing of another type",
    "wrong_elements": "an element of the result has another shape",
    "timeout": "it does not finish in time",
}


def fails(difference: Difference) -> tuple[str, ...]:
    """What failed, in words that a hint may be for."""
    if difference.aspect == "output":
        return ("output",) if difference.expected is None else ("silence",)
    if difference.aspect != "rows":
        return (difference.aspect,)
    missing, unexpected = bool(difference.missing), bool(difference.unexpected)
    how = {(True, True): "different", (True, False): "missing", (False, True): "unexpected", (False, False): "order"}
    return (*kinds(difference.missing, difference.unexpected), how[missing, unexpected])


def fitting(check: Check, failed: Iterable[str]) -> str:
    """The first hint of a check that is for one of these failures, whatever the words of an error; empty without one."""
    wanted = set(failed)
    return next((hint.says for hint in _exact(check) if wanted & set(hint.fits) and not hint.words), "")


def fitting_words(check: Check, failure: Failure) -> str:
    """The first hint of a check that is for such a failure with words that it has; empty without one."""
    said = f"{failure.error} {failure.text}".lower()
    return next((hint.says for hint in _exact(check) if failure.kind in hint.fits and hint.words and hint.words.lower() in said), "")


def _exact(check: Check) -> Iterator[Hint]:
    return (hint for hint in check.hints if isinstance(hint, Hint))


def general(check: Check) -> str:
    """The first hint of a check that is for anything; empty without one."""
    return next((hint for hint in check.hints if isinstance(hint, str)), "")


def in_words(hint: str | Hint) -> str:
    """A hint, and what it is for."""
    if isinstance(hint, str):
        return hint
    said = f" (“{hint.words}”)" if hint.words else ""
    return f"Where {' or '.join(WORDS[each] for each in hint.fits)}{said}: {hint.says}"
