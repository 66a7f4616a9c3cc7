"""Facts about single records that differ, in words: how many there are, and one of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_LONGEST = 80
_PLACE = re.compile(r"(?P<key>.*), record \d+", re.DOTALL)
_TIME, _BROKEN = "time of ", "not JSON: "


@dataclass(frozen=True)
class Change:
    """One fact: how it should be and how it is. None where there should be none, or is none."""

    what: str
    want: str | None
    got: str | None

    @property
    def both(self) -> bool:
        """Whether it is there, and should be."""
        return self.want is not None and self.got is not None

    def plainly(self) -> str:
        """The fact as it stands."""
        if self.want is None:
            return f"{shortened(self.what)} = {shortened(self.got or '')}, which is not expected"
        return f"{shortened(self.what)} = {shortened(self.got or 'nothing')}, not {shortened(self.want)}"


def shortened(text: str) -> str:
    """A text of a submission's as a sentence can hold it."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def count(number: int, word: str) -> str:
    """So many of a thing: 1 record, 2 records."""
    return f"{number} {word}{'s' * (number != 1)}"


def of_records(changes: Sequence[Change]) -> tuple[list[str], list[Change]]:
    """What is said of the facts about single records, and the other facts."""
    times = [change for change in changes if change.what.startswith(_TIME)]
    values = [change for change in changes if change.what == "a value"]
    values += [_value(change) for change in times if not change.both]
    places = [change for change in changes if _PLACE.fullmatch(change.what)]
    said = [*_of_values(values), *_of_times([change for change in times if change.both]), *_of_places(places)]
    return said, [change for change in changes if change.what != "a value" and change not in times and change not in places]


def _value(change: Change) -> Change:
    """That a value has no time, or has one that is not expected, tells that there is no such value, or that there is."""
    value = change.what.removeprefix(_TIME)
    return Change("a value", value if change.got is None else None, value if change.want is None else None)


def _of_values(changes: Sequence[Change]) -> Iterator[str]:
    missing = [change.want for change in changes if change.want is not None]
    there = [change.got for change in changes if change.got is not None]
    broken = [text.removeprefix(_BROKEN) for text in there if text.startswith(_BROKEN)]
    if broken:
        yield f"{count(len(broken), 'value')} in the topic {_are(broken)} no JSON, such as {shortened(broken[0])}"
    elif there:
        yield f"{count(len(there), 'value')} in the topic {_are(there)} not expected, such as {shortened(there[0])}"
    if missing:
        yield f"{count(len(missing), 'value')} {_are(missing)} not in the topic, such as {shortened(missing[0])}"


def _are(found: Sequence[object]) -> str:
    return "is" if len(found) == 1 else "are"


def _of_times(changes: Sequence[Change]) -> Iterator[str]:
    if changes:
        first, have = changes[0], "has" if len(changes) == 1 else "have"
        value = shortened(first.what.removeprefix(_TIME))
        yield f"{count(len(changes), 'record')} {have} another time: {first.got}, not {first.want}, for {value}"


def _of_places(changes: Sequence[Change]) -> Iterator[str]:
    """Records of a key: they are in another order, or they are other ones."""
    by_key: dict[str, list[Change]] = {}
    for change in changes:
        by_key.setdefault(change.what.rpartition(", record ")[0], []).append(change)
    turned = [key for key, found in by_key.items() if Counter(c.want for c in found) == Counter(c.got for c in found)]
    if turned:
        yield f"the records of {count(len(turned), 'key')} are in another order, such as those of {shortened(turned[0])}"
    others = [change for key, found in by_key.items() if key not in turned for change in found]
    if others:
        yield f"{count(len(others), 'record')} {_are(others)} not as expected; {others[0].plainly()}"
