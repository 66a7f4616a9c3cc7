"""What a replay says in words, the same on every machine and in every run: without folders, and numbers that are drawn anew.

Of an error the cause remains.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from autograder.grading.causes import cause
from autograder.machine.paths import known_folders
from autograder.model import Observation

#: Scratch folders, whose names are drawn, and addresses in memory.
_EVERYWHERE = (
    (re.compile(r"(?:/[\w.-]+)*/autograder-\w+(?:/(?:replay|program)-\d+)?(?=/|\b)"), "…"),
    (re.compile(r"\b0x[0-9a-f]{6,16}\b"), "0x…"),
)
#: What Spark, Py4J, Java and Python number as they go along. A program may print such numbers of its own.
_NUMBERED = (
    (re.compile(r"(?<=[A-Za-z0-9_)\]`])#\d+L?\b"), ""),
    (re.compile(r"\bo\d+\.(?=[a-z])"), ""),
    (re.compile(r"(?<=[A-Za-z])@[0-9a-f]{5,8}\b"), ""),
    (re.compile(r"\bThread-\d+\b"), "Thread"),
)
#: A line of a query's plan, as ``explain`` prints it.
_PLAN = re.compile(r"[\s:+*|-]*(?:\(\d+\)\s*)*!?[A-Z]\w*\b.*#\d")


def cleaned(observation: Observation) -> Observation:
    """The observation with clean words, in what it printed and in why it failed."""
    folders, failure = known_folders(), observation.failure
    printed = [clean(line, folders, numbered=bool(_PLAN.match(line))) for line in observation.printed.split("\n")]
    if failure:
        failure = cause(replace(failure, text=clean(failure.text, folders)))
    return replace(observation, printed="\n".join(printed), failure=failure)


def clean(text: str, folders: Sequence[str], *, numbered: bool = True) -> str:
    """A text in which these folders are ``…``, whatever stands below them, and what is drawn is gone; ``numbered``: numbers too."""
    for folder in folders:
        text = re.sub(rf"{re.escape(folder)}(?![\w-])", "…", text)
    for pattern, word in (*_EVERYWHERE, *(_NUMBERED if numbered else ())):
        text = pattern.sub(word, text)
    return text
