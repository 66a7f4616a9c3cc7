"""The cause in what an error says: without what Spark, the JVM, Py4J and Kafka's client put around it.

Each pattern was seen in an error of a program. What a program itself raises while rows are processed stays as it is.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from autograder.model import Failure

#: Characters of an error's text that are told.
_LONGEST = 300
_Words: TypeAlias = str | Callable[[re.Match[str]], str]
#: How Spark's own objects are reached from Python: who lacks such an attribute was given in their place.
_INSIDE = {
    "_jrdd": "an RDD",
    "_jdf": "a DataFrame",
    "_jc": "a Column",
    "_jdstream": "a DStream",
    "_slideDuration": "a DStream",
    "_ssc": "a DStream",
    "_get_object_id": "an object of its own, such as a Column or a DataFrame",
}
#: What Spark calls inside for a method of PySpark.
_CALLED = {"collectToPython": "collect", "collectAndServe": "collect", "showString": "show"}


def _wrong_object(match: re.Match[str]) -> str:
    return f"Spark was given {_a(match[1])} where it takes {_INSIDE[match[2]]}."


def _a(noun: str) -> str:
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"


def _failed_call(match: re.Match[str]) -> str:
    return f"{_CALLED.get(match[1], match[1])}() failed in Spark."


def _duration(match: re.Match[str]) -> str:
    amount = int(match[2])
    units = {"hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000, "millisecond": 1_000}
    unit = next((unit for unit, size in units.items() if amount and amount % size == 0), "microsecond")
    number = amount // units.get(unit, 1)
    return f"{match[1]} ({number} {unit}{'s' * (number != 1)})"


def _answer(match: re.Match[str]) -> str:
    """What a broker says of a request that it refuses; the text may be cut."""
    said = re.search(r"""error_message=(?:"([^"]*)|'([^']*))""", match[2])
    return (said[1] or said[2]) if said else f"The broker refuses the request ({match[1]})."


def _rules(*pairs: tuple[str, _Words]) -> tuple[tuple[re.Pattern[str], _Words], ...]:
    return tuple((re.compile(pattern, re.DOTALL), words) for pattern, words in pairs)


#: What only objects of Spark's lack.
_OF_PYTHON = _rules((rf"^'([^']+)' object has no attribute '({'|'.join(_INSIDE)})'$", _wrong_object))
#: What stands before the cause; after one there may be another.
_BEFORE = _rules(
    (r"^(?:[\w$]+\.)*(?:Py4J\w+|SparkException|StreamingQueryException|ExecutionException|RuntimeException): ", ""),
    (r"^\[STREAM_FAILED\] Query(?: \[[^\]]*\])? terminated with exception:\s*", ""),
    (r"^\[FOREACH(?:_BATCH)?_USER_FUNCTION_ERROR\].*?\bReason:\s*", ""),
    (r"^An exception was raised by (?:the Python Proxy\. Return Message|Python):\s*", ""),
    (r"^An error occurred while calling [\w:.$]+?[:.](?: Trace:)?\s+:?\s*(?=\S)(?!Trace:\s*$)", ""),
    (r"^Job aborted due to stage failure:.*?\(\S+ executor \w+\):\s*", ""),
    (r"^requirement failed:\s*", ""),
)
#: What stands behind it: the query, its plan, the JVM's stack.
_BEHIND = _rules(
    (r"\s*=+ Streaming Query =+.*$", ""),
    (r"\s*\bIdentifier:\s*(?:\[id = .*)?$", ""),
    (r"\s*\b(?:JVM|Driver) stacktrace:.*$", ""),
    (r"\s*\bTraceback \(most recent call last\):.*$", ""),
    (r"\s+at [\w$.<>/]+\((?:[\w$]+\.(?:java|scala)(?::\d+)?|Native Method|Unknown Source)\).*$", ""),
    (r"\s*;\s*[~'][A-Z]\w+\b.*$", ""),
    (r"\s*;\s*(?:Project|Aggregate|Sort|Join|Filter|Window|Deduplicate\w*|\w+Limit|EventTimeWatermark|SubqueryAlias)\b.*$", ""),
    (r"\s[+:]- ?~?'?[A-Z]\w+\b.*$", ""),
)
#: What says nothing of the cause, wherever it stands, and what a person reads otherwise.
_WITHIN = _rules(
    (r"^\[Error \d+\] (\w+): Request .* failed with response (.*)$", _answer),
    (r"^An error occurred while calling (?:[\w:$]+\.)*([\w$]+)\.?(?: Trace:)?$", _failed_call),
    (r"[;.]? line (\d+) pos (\d+);?$", r" (line \1, pos \2)"),
    (r"\s*\bSQLSTATE: [0-9A-Z]{5}\b[;.]?", ""),
    (r"\s*(?:Please ensure|You can reference|If the issue persists|If necessary set|For more information)\b.*?\.(?=\s|$)", ""),
    (r"(must be executed with writeStream\.start\(\)), or from .*$", r"\1."),
    (r"(`\w+_duration`)\((\d+)L\)", _duration),
    (r"\bclass (?:[a-z]\w*\.)+(\w+)", r"\1"),
    (r"\(\[([\w, ]*)\]\)", r"(\1)"),
    (r"\s*;$", ""),
)


def cause(failure: Failure) -> Failure:
    """The failure with its text cut to the cause."""
    text = failure.text
    if failure.kind == "wrong_elements":
        return replace(failure, text=_element(text))
    if not failure.error:
        return failure
    text = _replaced(text, _OF_PYTHON)
    if failure.kind != "raised_in_task" and failure.error not in _PYTHONS:
        text = _cut(text)
    return replace(failure, text=_shortened(text))


#: Errors of Python's own: what they say is the program's, or Python's.
_PYTHONS = frozenset(name for name, found in vars(builtins).items() if isinstance(found, type) and issubclass(found, BaseException))


def _cut(text: str) -> str:
    text, before = _replaced(" ".join(text.split()), _BEHIND), ""
    while before != text:
        before, text = text, _replaced(text, _BEFORE)
    return _replaced(text, _WITHIN).strip()


def _replaced(text: str, rules: Sequence[tuple[re.Pattern[str], _Words]]) -> str:
    for pattern, words in rules:
        text = pattern.sub(words, text)
    return text


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 2].rstrip()} …"


def _element(text: str) -> str:
    """An element of another shape, and what it should be: one value is no tuple."""
    text = re.sub(r", not \(([^,()]*)\)$", r", not a single value (\1)", text)
    return re.sub(r"^\((.*),\), not (a single|)", lambda match: f"{match[1]}, not {match[2] or 'a tuple '}", text, flags=re.DOTALL)
