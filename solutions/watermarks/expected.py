"""What right programs emit on a stream of departures, and what known mistakes would emit."""

from autograder.content.expected import select, structured
from autograder.content.mistakes import but, computed, swap
from autograder.model import Mistake
from autograder.oracle import Aggregate, Deduplicate, Each, Query, Session, Watermark, Window, duration


def departures_per_window(
    fixture, *, window, delay, on="scheduled_at", slide=None, start="0 minutes", keys=("carrier",), count=len, keep=lambda row: True
):
    """Departures by carrier and tumbling window of scheduled_at. The watermark waits `delay` for late departures."""
    query = (
        Each(lambda row: [row] if keep(row) else []),
        Watermark(on, duration(delay)),
        Aggregate(keys, {"departures": count}, Window(on, duration(window), slide and duration(slide), duration(start))),
        select("window_start", "window_end", "carrier", "departures"),
    )
    return structured(Query(query, "append"), fixture)


def unique_departures(fixture, *, delay, on="scheduled_at", keys=("carrier", "flight"), watermark=True, within_watermark=True):
    """Each flight, that is carrier and flight number, once; it is forgotten when the watermark has passed it by `delay`."""
    query = (Watermark(on, duration(delay)), Deduplicate(keys, within_watermark), select("carrier", "flight"))
    return structured(Query(query if watermark else query[1:], "append"), fixture)


def busy_periods(
    fixture, *, gap, delay, on="scheduled_at", window=Session, carrier=lambda row: row["carrier"], ends_sooner="0 minutes"
):
    """A carrier's departures at most one `gap` apart, from the first until `gap` after the last. The watermark waits `delay`."""
    query = (
        Each(lambda row: [{**row, "carrier": carrier(row)}]),
        Watermark(on, duration(delay)),
        Aggregate(("carrier",), {"departures": len}, window(on, duration(gap))),
        Each(lambda row: [{**row, "window_end": row["window_end"] - duration(ends_sooner)}]),
        select("carrier", "departures", period_start="window_start", period_end="window_end"),
    )
    return structured(Query(query, "append"), fixture)


def _on_time(row):
    return row["departed_at"] == row["scheduled_at"]


def _flights(rows):
    return len({row["flight"] for row in rows})


EMITS = {"departures_per_window": departures_per_window, "unique_departures": unique_departures, "busy_periods": busy_periods}
MISTAKES = {
    "departures_per_window": (
        Mistake("no_watermark_on_the_window", "Append mode needs a watermark on the very column of the window.",
            failure=("refused", "without watermark")),
        Mistake("event_time_is_departed_at", "The time is taken from departed_at: that is when it was seen, not when it was due.",
            but(on="departed_at")),
        # The kit has this one last by itself; here it goes before the next, which may emit the same.
        Mistake("delay_hard_coded", "The value of delay is written into the code: 10 minutes.", but(delay="10 minutes")),
        Mistake("delay_in_seconds", "The delay looks like seconds where minutes are meant.", but(delay=computed("delay // 60"))),
        Mistake("no_delay", "The watermark does not wait: its delay is 0.", but(delay="0 seconds")),
        Mistake("one_ms_too_long", "The watermark waits a millisecond too long.", but(delay=computed("delay + 1 ms"))),
        Mistake("one_ms_too_short", "The watermark waits a millisecond too short.", but(delay=computed("delay - 1 ms"))),
        Mistake("delay_doubled", "The watermark waits twice as long as it should.", but(delay=computed("2 * delay"))),
        Mistake("window_and_delay_swapped", "Window and delay are swapped.", swap("window", "delay")),
        Mistake("sliding", "The windows slide: a departure is counted in two of them.", but(slide=computed("window // 2"))),
        Mistake("shifted", "The windows begin a minute late.", but(start="1 minute")),
        Mistake("carrier_forgotten", "All carriers are counted together.", but(keys=())),
        Mistake("late_filtered", "Late departures are filtered out although their window is open.", but(keep=_on_time)),
        Mistake("distinct_flights", "Flight numbers are counted once; departures are asked for.", but(count=_flights)),
    ),
    "unique_departures": (
        Mistake("no_watermark", "Deduplication within the watermark needs a watermark.",
            failure=("refused", "dropDuplicatesWithinWatermark")),
        Mistake("never_forgets", "dropDuplicates remembers every flight for ever, and here lets late reports pass.",
            but(watermark=False, within_watermark=False)),
        Mistake("time_in_the_key", "The time is part of the key, so a second report with another time passes.",
            but(keys=("carrier", "flight", "scheduled_at"), within_watermark=False)),
        Mistake("departure_in_the_key", "The departure time is part of the key, so a second report with another one passes.",
            but(keys=("carrier", "flight", "departed_at"))),
        Mistake("flight_only", "Two carriers with one flight number are taken for one flight.", but(keys=("flight",))),
        Mistake("watermark_on_departed_at", "The watermark is on departed_at, which is not the event time.", but(on="departed_at")),
        Mistake("no_delay", "The watermark does not wait: its delay is 0.", but(delay="0 seconds")),
    ),
    "busy_periods": (
        Mistake("no_watermark", "Append mode needs a watermark on the column of the session.", failure=("refused", "without watermark")),
        Mistake("tumbling", "These are tumbling windows: a period is cut where a window ends.", but(window=Window)),
        Mistake("gap_forgotten", "A period ends one gap after its last departure, not at it.", but(ends_sooner=computed("gap"))),
        Mistake("carrier_forgotten", "All carriers share one period.", but(carrier=lambda row: "all")),
        Mistake("event_time_is_departed_at", "The time is taken from departed_at.", but(on="departed_at")),
        Mistake("no_delay", "The watermark does not wait: its delay is 0.", but(delay="0 seconds")),
        Mistake("gap_too_short", "Departures exactly one gap apart are not joined: the gap is a millisecond short.",
            but(gap=computed("gap - 1 ms"))),
    ),
}
