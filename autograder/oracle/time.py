"""Event time: durations, window buckets, and when a watermark closes them. All in microseconds unless said."""

from __future__ import annotations

import re

_UNITS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 604_800_000_000,
}


def duration(text: str) -> int:
    """Microseconds in an interval as Spark reads it, such as ``"1 hour 30 minutes"``.

    Raises ValueError for anything else; months have no fixed length and are refused too.
    """
    parts = re.findall(r"(\d+)\s+([a-z]+?)s?\b", text.strip().lower())
    if not parts or re.sub(r"\d+\s+[a-z]+", "", text.strip().lower()).strip() or any(unit not in _UNITS for _, unit in parts):
        raise ValueError(f"{text!r} is not a duration; write it like '10 minutes'")
    return sum(int(number) * _UNITS[unit] for number, unit in parts)


def in_words(length: int) -> str:
    """A length in microseconds as ``duration`` reads it, in its largest units: ``"1 hour 30 minutes"``; of 0, ``"0 seconds"``."""
    parts, rest = [], abs(length)
    for name, unit in reversed(_UNITS.items()):
        number, rest = divmod(rest, unit)
        if number:
            parts.append(f"{number} {name}{'s' * (number != 1)}")
    return "-" * (length < 0) + (" ".join(parts) or "0 seconds")


def milliseconds(event_time: int | None) -> int:
    """An event time as the watermark's statistics see it: whole ms, rounded down; null counts as the epoch.

    Source: Spark EventTimeWatermarkExec, DateTimeUtils.microsToMillis.
    """
    return 0 if event_time is None else event_time // 1000


def is_closed(end: int, watermark: int) -> bool:
    """Whether something that ends at ``end`` (us) is behind a watermark (ms): inclusive.

    Source: Spark WatermarkSupport.watermarkExpression (LessThanOrEqual).
    """
    return end <= watermark * 1000


def windows(event_time: int | None, length: int, slide: int, start: int) -> list[tuple[int, int]]:
    """The half-open windows [start, end) that hold an event time, oldest first; none for null.

    Source: Spark TimeWindowResolution.buildTimeWindowRewrite.
    """
    if event_time is None:
        return []
    last = event_time - (event_time - start) % slide
    found = [(last - index * slide, last - index * slide + length) for index in range(-(-length // slide))]
    return sorted((begin, end) for begin, end in found if begin <= event_time < end)
