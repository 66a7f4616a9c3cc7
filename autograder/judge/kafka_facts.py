"""Facts about brokers that differ, in words: "8 records were handled more than once", not how many facts are missing.

What a fact is about is said by ``oracle.kafka``, how a program ends by ``content.expected`` and ``broker.replay``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeAlias

from autograder.judge.kafka_records import Change, of_records, shortened
from autograder.model import Fails, Row

_MOST = 2
#: What a hint may be for, if there is such a thing, and the words.
_Said: TypeAlias = tuple[Fails | None, str]


@dataclass(frozen=True)
class _Rule:
    """What is said of facts about one thing: where there is ``more`` than there should be, ``less``, and where it is no number."""

    about: str
    fails: Fails | None = None
    more: str = ""
    less: str = ""
    other: str = ""


def _amount(about: str, words: str, fails: Fails | None = None) -> _Rule:
    """What is said alike where there is more and where there is less."""
    return _Rule(about, fails, more=words, less=words)


#: The most telling ones first.
_RULES = (
    _Rule("the topic", other="the topic {got}"),
    _Rule(r"records with key \(none\)", other="{records} {have} no key"),
    _Rule("handled what is no record", other="{got} of the things that it says it handled are no records"),
    _Rule(r"(?:(?P<group>.+): )?records never handled", "unhandled", more="{records} {were} never handled{in_group}"),
    _Rule(r"(?:(?P<group>.+): )?records handled more than once", "handled_again", more="{records} {were} handled more than once{in_group}"),
    _Rule("records handled again although committed", "handled_again", more="{records} {were} handled again although committed"),
    _Rule("records that group .+ committed and nobody handled", "lost", more="{records} {were} committed and never handled"),
    _amount("records that group .+ has not committed", "{records} {are} not committed{where}", "uncommitted"),
    _Rule(r"(?:.+: )?partitions handled out of order", more="in {got} of the partitions records were handled out of order"),
    _Rule(
        "different readings in the topic",
        less="{fewer} of {want} readings are not in the topic",
        more="the topic has {got} different readings, not {want}",
    ),
    _amount("records in the topic", "the topic has {records}, not {want}"),
    _amount("records with key (?P<key>.+)", "{records} {have} the key {key}, not {want}"),
    _Rule("partitions with key (?P<key>.+)", more="the records with key {key} lie on {got} partitions"),
)
#: Where there is no topic, or no key, nothing else of them is as it should be.
_SAYS_ALL = 2
#: Of a group's records each is handled once, or something else tells more.
_SAYS_LITTLE = re.compile(r"(?:.+: )?records handled once")
_RETURNED = "returned "
_ENDS = re.compile(f"{_RETURNED}|raised what |died where |did not end ")


def is_fact(row: Row) -> bool:
    """Whether a row is a fact: what it is about, and how that is."""
    return set(row) == {"what", "is"}


def told(missing: Sequence[Row], unexpected: Sequence[Row]) -> str:
    """The facts that differ in a few words, the most telling ones first. Empty where rows are no facts."""
    words = list(dict.fromkeys(text for _, text in _said(_changes(missing, unexpected))))
    return "; ".join(words[:_MOST]) + (f"; and {len(words) - _MOST} more" if len(words) > _MOST else "")


def kinds(missing: Sequence[Row], unexpected: Sequence[Row]) -> tuple[Fails, ...]:
    """What a hint may be for, of facts that differ."""
    return tuple(dict.fromkeys(fails for fails, _ in _said(_changes(missing, unexpected)) if fails))


def _changes(missing: Sequence[Row], unexpected: Sequence[Row]) -> list[Change]:
    """The facts of both sides, by what they are about."""
    if not all(map(is_fact, (*missing, *unexpected))):
        return []
    names = dict.fromkeys(str(row["what"]) for row in (*missing, *unexpected))
    sides = [{name: [str(row["is"]) for row in rows if str(row["what"]) == name] for name in names} for rows in (missing, unexpected)]
    return [Change(name, want, got) for name in names for want, got in zip_longest(sides[0][name], sides[1][name])]


def _said(changes: Sequence[Change]) -> list[_Said]:
    """What is said of facts, the most telling first."""
    said, rest = list[_Said](), list(changes)
    for place, rule in enumerate(_RULES):
        found = {change: words for change in rest if (words := _by_rule(rule, change))}
        said += [(rule.fails, words) for words in found.values()]
        if found and place < _SAYS_ALL:
            return said
        rest = [change for change in rest if change not in found]
    ends = [change for change in rest if _ENDS.match(change.want or "") and _ENDS.match(change.got or "")]
    said[:0] = [("returned", _end(change)) for change in ends]
    records, rest = of_records([change for change in rest if change not in ends])
    said += [(None, words) for words in records]
    telling = [change for change in rest if not _SAYS_LITTLE.fullmatch(change.what)]
    return said + [(None, change.plainly()) for change in (telling if said or telling else rest)]


def _end(change: Change) -> str:
    """How a program ended, and how it should have."""
    who, want, got = "it" if change.what == "program" else change.what, change.want or "", change.got or ""
    if got.startswith(_RETURNED) and want.startswith(_RETURNED):
        return f"{who} {shortened(got)}, not {shortened(want.removeprefix(_RETURNED))}"
    return f"{who} {shortened(got)}, and should have {shortened(want)}"


def _by_rule(rule: _Rule, change: Change) -> str:
    match = re.fullmatch(rule.about, change.what, re.DOTALL)
    if not match or change.got is None:
        return ""
    return _chosen(rule, change).format(**_named(change, match))


def _chosen(rule: _Rule, change: Change) -> str:
    if rule.other or not _are_numbers(change):
        return rule.other
    return rule.more if int(change.got or "") > int(change.want or "") else rule.less


def _are_numbers(change: Change) -> bool:
    return all((text or "").isdecimal() for text in (change.want, change.got))


def _named(change: Change, match: re.Match[str]) -> dict[str, str]:
    """What words of a rule may name."""
    want, got, groups = change.want or "", change.got or "", match.groupdict()
    one = got == "1"
    return {
        "want": shortened(want),
        "got": shortened(got),
        "records": f"{shortened(got)} record{'s' * (not one)}",
        "fewer": str(int(want) - int(got)) if _are_numbers(change) else "",
        "were": "was" if one else "were",
        "are": "is" if one else "are",
        "have": "has" if one else "have",
        "key": shortened(groups.get("key") or ""),
        "in_group": f" in group {groups['group']}" if groups.get("group") else "",
        "where": f", where {want} should be left" if want != "0" else "",
    }
