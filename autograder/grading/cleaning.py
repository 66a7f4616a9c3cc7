"""What a replay says in words, the same on every machine and in every run: without folders, and numbers that are drawn anew."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from autograder.machine import paths
from autograder.model import Observation

_PACKAGE = Path(__file__).resolve().parent.parent
#: What Spark, Py4J, Python and Java number as they go along; and scratch folders, whose names are drawn.
_DRAWN = (
    (re.compile(r"(?:/[\w.-]+)*/autograder-\w+(?:/(?:replay|program)-\d+)?(?=/|\b)"), "…"),
    (re.compile(r"(?<=[A-Za-z0-9_)\]`])#\d+L?\b"), ""),
    (re.compile(r"\bo\d+\.(?=[a-z])"), ""),
    (re.compile(r"\b0x[0-9a-f]{6,16}\b"), "0x…"),
    (re.compile(r"(?<=[A-Za-z])@[0-9a-f]{5,8}\b"), ""),
    (re.compile(r"\bThread-\d+\b"), "Thread"),
)
#: A line of a query's plan, as ``explain`` prints it.
_PLAN = re.compile(r"[\s:+*|-]*(?:\(\d+\)\s*)*!?[A-Z]\w*\b.*#\d")


def cleaned(observation: Observation) -> Observation:
    """The observation with clean words, in what it printed and in why it failed."""
    places = known_places()
    printed = "\n".join(_printed(line, places) for line in observation.printed.split("\n"))
    failure = observation.failure
    if failure:
        failure = replace(failure, text=clean(failure.text, places))
    return replace(observation, printed=printed, failure=failure)


def clean(text: str, places: Sequence[str]) -> str:
    """A text of Spark's, of Python's or of the submission's own error."""
    text = without_places(text, places)
    for pattern, word in _DRAWN:
        text = pattern.sub(word, text)
    return text


def _printed(line: str, places: Sequence[str]) -> str:
    """A line that a program printed: its own numbers stay, a plan's do not."""
    if _PLAN.match(line):
        return clean(line, places)
    text = without_places(line, places)
    for pattern, word in (_DRAWN[0], _DRAWN[3]):
        text = pattern.sub(word, text)
    return text


def without_places(text: str, places: Sequence[str]) -> str:
    """A text in which a machine's folders are ``…``, whatever stands below them."""
    for place in places:
        text = re.sub(rf"{re.escape(place)}(?![\w-])", "…", text)
    return text


def known_places() -> list[str]:
    """This machine's folders that a program's words may name, those below others first."""
    found = {_PACKAGE.parent, Path.home(), paths.cache_folder()}
    found |= {Path(name) for prefix in (sys.prefix, sys.base_prefix) for name in (prefix, Path(prefix).resolve())}
    return sorted((str(place) for place in found if len(place.parts) > 1), key=len, reverse=True)
