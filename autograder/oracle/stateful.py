"""Operators that keep state. Each takes a batch's rows and two watermarks (ms): for late rows, and for eviction."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from autograder.oracle.plan import Aggregate, Deduplicate, Mode, Row, Session, Watermark, Window
from autograder.oracle.time import is_closed, windows

_Key = tuple[Hashable, ...]


@dataclass
class Stateless:
    """No operator that keeps state: every row passes, no batch without data runs."""

    def run(self, rows: list[Row], late: int, evict: int) -> tuple[list[Row], int]:  # noqa: ARG002  # no state, no watermark
        """All rows."""
        return rows, 0

    def runs_again(self, mode: Mode) -> bool:  # noqa: ARG002  # as above
        """Never."""
        return False

    def size(self) -> int:
        """Nothing is kept."""
        return 0


@dataclass
class WindowAggregation:
    """A grouping by keys, and by a window or a raw event-time column where the watermark is on it.

    Source: Spark StateStoreSaveExec. Late groups are filtered after the merge with state, so dropped counts groups.
    """

    operator: Aggregate
    mark: Watermark | None
    mode: Mode
    state: dict[_Key, list[Row]] = field(default_factory=dict)

    def run(self, rows: list[Row], late: int, evict: int) -> tuple[list[Row], int]:
        """Merge, drop late groups, emit by mode, evict."""
        groups: dict[_Key, list[Row]] = {}
        for row in rows:
            for key in self._keys(row):
                groups.setdefault(key, []).append(row)
        behind = [key for key in groups if self.mode != "complete" and self._closed(key, late)]
        for key in behind:
            del groups[key]
        for key, new in groups.items():
            self.state[key] = [*self.state.get(key, []), *new]
        return self._emit(set(groups), evict), len(behind)

    def _emit(self, touched: set[_Key], evict: int) -> list[Row]:
        if self.mode == "complete":
            return self._rows(list(self.state))
        closed = [key for key in self.state if self._closed(key, evict)]
        out = self._rows(closed if self.mode == "append" else [key for key in self.state if key in touched])
        for key in closed:
            del self.state[key]
        return out

    def runs_again(self, mode: Mode) -> bool:
        """In append and update mode whenever the watermark moved."""
        return mode != "complete"

    def size(self) -> int:
        """Groups kept."""
        return len(self.state)

    def _keys(self, row: Row) -> list[_Key]:
        values = tuple(row[key] for key in self.operator.keys)
        window = self.operator.window
        if not isinstance(window, Window):
            return [values]
        found = windows(row[window.column], window.duration, window.slide or window.duration, window.start)
        return [(*bounds, *values) for bounds in found]

    def _closed(self, key: _Key, watermark: int) -> bool:
        end = self._event_time(key)
        return isinstance(end, int) and is_closed(end, watermark)

    def _event_time(self, key: _Key) -> Hashable:
        """The end of the group's window, or its raw event time; None when the watermark is on neither."""
        if self.mark is None:
            return None
        window = self.operator.window
        if isinstance(window, Window):
            return key[1] if window.column == self.mark.column else None
        return key[self.operator.keys.index(self.mark.column)] if self.mark.column in self.operator.keys else None

    def _rows(self, keys: list[_Key]) -> list[Row]:
        names = (("window_start", "window_end") if self.operator.window else ()) + self.operator.keys
        made = []
        for key in keys:
            values = {name: value(self.state[key]) for name, value in self.operator.values.items()}
            made.append(dict(zip(names, key, strict=True)) | values)
        return made


@dataclass
class SessionAggregation:
    """A grouping by keys and ``session_window``: rows closer than the gap, or just touching, are one session.

    Source: Spark SessionWindowStateStoreRestoreExec (late rows, each by its own end, in complete mode too) and …SaveExec. Rows of a batch
    with equal keys and times are one row by then (the partial aggregation), and count once where they are dropped.
    """

    operator: Aggregate
    mark: Watermark | None
    mode: Mode
    state: dict[_Key, list[tuple[int, int, list[Row]]]] = field(default_factory=dict)

    def run(self, rows: list[Row], late: int, evict: int) -> tuple[list[Row], int]:
        """Drop late rows, merge sessions, emit by mode, evict."""
        window = self.operator.window
        assert isinstance(window, Session)
        dropped: set[_Key] = set()
        for row in rows:
            start = row[window.column]
            if start is None:
                continue
            key = tuple(row[name] for name in self.operator.keys)
            if self.mark and is_closed(start + window.gap, late):
                dropped.add((start, *key))
                continue
            self.state[key] = _merged([*self.state.get(key, []), (start, start + window.gap, [row])])
        return self._emit(evict), len(dropped)

    def _emit(self, evict: int) -> list[Row]:
        out = []
        for key, sessions in list(self.state.items()):
            closed = [s for s in sessions if self.mode == "complete" or (self.mark and is_closed(s[1], evict))]
            out += [self._row(key, session) for session in closed]
            if self.mode != "complete":
                self.state[key] = [session for session in sessions if session not in closed]
        return out

    def runs_again(self, mode: Mode) -> bool:
        """In append mode whenever the watermark moved."""
        return mode != "complete"

    def size(self) -> int:
        """Sessions kept."""
        return sum(len(sessions) for sessions in self.state.values())

    def _row(self, key: _Key, session: tuple[int, int, list[Row]]) -> Row:
        start, end, rows = session
        values = {name: value(rows) for name, value in self.operator.values.items()}
        return {"window_start": start, "window_end": end, **dict(zip(self.operator.keys, key, strict=True)), **values}


def _merged(sessions: list[tuple[int, int, list[Row]]]) -> list[tuple[int, int, list[Row]]]:
    out: list[tuple[int, int, list[Row]]] = []
    for start, end, rows in sorted(sessions, key=lambda session: session[:2]):
        if out and start <= out[-1][1]:
            before = out.pop()
            out.append((before[0], max(before[1], end), [*before[2], *rows]))
        else:
            out.append((start, end, rows))
    return out


@dataclass
class Deduplication:
    """``dropDuplicates`` and ``dropDuplicatesWithinWatermark``: the first row of a key passes.

    Source: Spark StreamingDeduplicateExec, StreamingDeduplicateWithinWatermarkExec.
    """

    operator: Deduplicate
    mark: Watermark | None
    state: dict[_Key, int | None] = field(default_factory=dict)

    def run(self, rows: list[Row], late: int, evict: int) -> tuple[list[Row], int]:
        """Drop late rows, pass new keys, forget keys that the watermark has passed."""
        out, dropped = [], 0
        for row in rows:
            if self._late(row, late):
                dropped += 1
                continue
            key = tuple(row[name] for name in self.operator.keys)
            if key not in self.state:
                self.state[key] = self._expires(row)
                out.append(row)
        for key in [key for key, end in self.state.items() if end is not None and is_closed(end, evict)]:
            del self.state[key]
        return out, dropped

    def _late(self, row: Row, late: int) -> bool:
        if self.mark is None:
            return False
        time = row[self.mark.column]
        return time is not None and is_closed(time, late)

    def _expires(self, row: Row) -> int | None:
        """When the key is forgotten, in us: never, at its event time, or a delay (whole ms) after the first row's."""
        if self.mark is None:
            return None
        time = row[self.mark.column]
        if self.operator.within_watermark:
            return (0 if time is None else time) + self.mark.delay // 1000 * 1000
        return time if self.mark.column in self.operator.keys else None

    def runs_again(self, mode: Mode) -> bool:  # noqa: ARG002  # in any mode
        """Whenever the watermark moved."""
        return True

    def size(self) -> int:
        """Keys kept."""
        return len(self.state)
