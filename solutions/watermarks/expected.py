"""What right programs emit on a stream of departures, and what known mistakes would emit."""

from autograder.content.expected import structured
from autograder.model import Mistake
from autograder.oracle import Aggregate, Deduplicate, Each, Query, Session, Watermark, Window, duration

_MS = 1000


def _renamed(start, end):
    def rename(row):
        return [{start: row["window_start"], end: row["window_end"], "carrier": row["carrier"], "departures": row["departures"]}]

    return Each(rename)


def _windows(  # noqa: PLR0913
    fixture, *, window, delay, on="scheduled_at", slide=None, start=0, keys=("carrier",), count=len, keep=lambda row: True, sooner=0
):
    """The right query, or one that differs in one respect."""

    def shape(row):
        row = {"carrier": None, **row}
        names = ("window_start", "window_end", "carrier", "departures")
        return [{name: row[name] for name in names}]

    operators = (
        Each(lambda row: [row] if keep(row) else []),
        Watermark(on, max(0, delay + sooner)),
        Aggregate(keys, {"departures": count}, Window(on, window, slide, start)),
        Each(shape),
    )
    return structured(Query(operators, "append"), fixture)


def departures_per_window(fixture, *, window, delay, **changes):
    """Counts by carrier and tumbling window."""
    return _windows(fixture, **{"window": duration(window), "delay": duration(delay), **changes})


def unique_departures(fixture, *, delay, keys=("carrier", "flight"), within=True, on="scheduled_at", wait=None, marked=True):
    """Each flight once within the watermark."""
    mark = (Watermark(on, duration(delay) if wait is None else wait),) if marked else ()
    shape = Each(lambda row: [{"carrier": row["carrier"], "flight": row["flight"]}])
    return structured(Query((*mark, Deduplicate(keys, within), shape), "append"), fixture)


def busy_periods(fixture, *, gap, delay, on="scheduled_at", keys=("carrier",), wait=None, length=None):
    """Sessions by carrier."""
    mark = Watermark(on, duration(delay) if wait is None else wait)
    aggregate = Aggregate(keys, {"departures": len}, Session(on, duration(gap) if length is None else length))
    return structured(Query((mark, aggregate, _renamed("period_start", "period_end")), "append"), fixture)


def _tumbling_periods(fixture, *, gap, delay):
    mark, window = Watermark("scheduled_at", duration(delay)), Window("scheduled_at", duration(gap))
    return structured(Query((mark, Aggregate(("carrier",), {"departures": len}, window), _renamed("period_start", "period_end")), "append"), fixture)


def _periods_to_last_departure(fixture, *, gap, delay):
    length = duration(gap)
    mark, aggregate = Watermark("scheduled_at", duration(delay)), Aggregate(("carrier",), {"departures": len}, Session("scheduled_at", length))

    def shape(row):
        return [
            {"period_start": row["window_start"], "period_end": row["window_end"] - length, "carrier": row["carrier"], "departures": row["departures"]}
        ]

    return structured(Query((mark, aggregate, Each(shape)), "append"), fixture)


EMITS = {"departures_per_window": departures_per_window, "unique_departures": unique_departures, "busy_periods": busy_periods}


def _with(function, **changes):
    return lambda fixture, **parameters: function(fixture, **parameters, **changes)


_W = departures_per_window
MISTAKES = {
    "departures_per_window": (
        Mistake("no_watermark_on_the_window", "Append mode needs a watermark on the very column of the window.", failure=("refused", "without watermark")),
        Mistake("event_time_is_departed_at", "The time is taken from departed_at: that is when it was seen, not when it was due.", emits=_with(_W, on="departed_at")),
        Mistake("window_hard_coded", "The window's length stands in the code.", emits=lambda f, *, window, delay: _W(f, window="15 minutes", delay=delay)),
        Mistake("delay_hard_coded", "The delay stands in the code.", emits=lambda f, *, window, delay: _W(f, window=window, delay="10 minutes")),
        Mistake("delay_in_seconds", "The delay looks like seconds where minutes are meant.", emits=lambda f, *, window, delay: _W(f, window=window, delay=delay.replace("minute", "second"))),
        Mistake("no_delay", "The watermark does not wait: its delay is 0.", emits=lambda f, *, window, delay: _W(f, window=window, delay="0 seconds")),
        Mistake("one_ms_too_long", "The watermark waits a millisecond too long.", emits=_with(_W, sooner=_MS)),
        Mistake("one_ms_too_short", "The watermark waits a millisecond too short.", emits=_with(_W, sooner=-_MS)),
        Mistake("delay_doubled", "The watermark waits twice as long as it should.", emits=lambda f, *, window, delay: _windows(f, window=duration(window), delay=2 * duration(delay))),
        Mistake("window_and_delay_swapped", "Window and delay are swapped.", emits=lambda f, *, window, delay: _W(f, window=delay, delay=window)),
        Mistake("sliding", "The windows slide: a departure is counted in two of them.", emits=lambda f, *, window, delay: _W(f, window=window, delay=delay, slide=duration(window) // 2)),
        Mistake("shifted", "The windows begin a minute late.", emits=_with(_W, start=60_000_000)),
        Mistake("carrier_forgotten", "All carriers are counted together.", emits=_with(_W, keys=())),
        Mistake("late_filtered", "Late departures are filtered out although their window is open.", emits=_with(_W, keep=lambda row: row["departed_at"] == row["scheduled_at"])),
        Mistake("distinct_flights", "Flight numbers are counted once; departures are asked for.", emits=_with(_W, count=lambda rows: len({row["flight"] for row in rows}))),
    ),
    "unique_departures": (
        Mistake("no_watermark", "Deduplication within the watermark needs a watermark.", failure=("refused", "dropDuplicatesWithinWatermark")),
        Mistake("never_forgets", "dropDuplicates remembers every flight for ever, and here lets late reports pass.", emits=_with(unique_departures, marked=False, within=False)),
        Mistake("time_in_the_key", "The time is part of the key, so a second report with another time passes.", emits=_with(unique_departures, keys=("carrier", "flight", "scheduled_at"), within=False)),
        Mistake("departure_in_the_key", "The departure time is part of the key, so a second report with another one passes.", emits=_with(unique_departures, keys=("carrier", "flight", "departed_at"))),
        Mistake("flight_only", "Two carriers with one flight number are taken for one flight.", emits=_with(unique_departures, keys=("flight",))),
        Mistake("watermark_on_departed_at", "The watermark is on departed_at, which is not the event time.", emits=_with(unique_departures, on="departed_at")),
        Mistake("no_delay", "The watermark does not wait: its delay is 0.", emits=_with(unique_departures, wait=0)),
    ),
    "busy_periods": (
        Mistake("no_watermark", "Append mode needs a watermark on the column of the session.", failure=("refused", "without watermark")),
        Mistake("tumbling", "These are tumbling windows: a period is cut where a window ends.", emits=_tumbling_periods),
        Mistake("gap_forgotten", "A period ends one gap after its last departure, not at it.", emits=_periods_to_last_departure),
        Mistake("carrier_forgotten", "All carriers share one period.", emits=lambda f, *, gap, delay: _all_carriers(f, gap, delay)),
        Mistake("event_time_is_departed_at", "The time is taken from departed_at.", emits=_with(busy_periods, on="departed_at")),
        Mistake("no_delay", "The watermark does not wait: its delay is 0.", emits=_with(busy_periods, wait=0)),
        Mistake("gap_hard_coded", "The gap stands in the code.", emits=lambda f, *, gap, delay: busy_periods(f, gap="20 minutes", delay=delay)),
        Mistake("gap_too_short", "Departures exactly one gap apart are not joined: the gap is a millisecond short.", emits=lambda f, *, gap, delay: busy_periods(f, gap=gap, delay=delay, length=duration(gap) - _MS)),
    ),
}


def _all_carriers(fixture, gap, delay):
    mark, aggregate = Watermark("scheduled_at", duration(delay)), Aggregate((), {"departures": len}, Session("scheduled_at", duration(gap)))
    names = ("period_start", "period_end")
    shape = Each(lambda row: [{**dict(zip(names, (row["window_start"], row["window_end"]), strict=True)), "carrier": "all", "departures": row["departures"]}])
    return structured(Query((mark, aggregate, shape), "append"), fixture)
