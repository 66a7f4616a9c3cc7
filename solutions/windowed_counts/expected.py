"""What right programs emit in their windows, and what known mistakes would emit."""

from functools import reduce
from operator import add, sub

from autograder.content.expected import batches, dstream, select, structured
from autograder.content.mistakes import but, computed, swap
from autograder.model import Mistake
from autograder.oracle import Aggregate, Each, Query, Window, duration, reduce_by_key_and_window, reduce_by_window, windowed


def _seen(pair):
    return pair[1] > 0


def counts_by_window(fixture, *, window, slide, inverse=None, keep=None, from_second=1):
    """Views of each page in the last `window` seconds, every `slide` seconds."""
    ones = [[(page, 1) for page in batch] for batch in batches(fixture)]
    counts = reduce_by_key_and_window(ones, add, window, slide, inverse, keep)
    return dstream([found if found is None or second >= from_second else [] for second, found in enumerate(counts, 1)], ("page", "views"))


def counts_with_inverse(fixture, *, window, slide, inverse=sub, keep=_seen):
    """The same, with an inverse function and a filter: they take off and out what has left the window."""
    return counts_by_window(fixture, window=window, slide=slide, inverse=inverse, keep=keep)


def peak(fixture, *, window, slide, largest=max):
    """The largest load of the last `window` seconds, every `slide` seconds; none where the window is empty."""
    return dstream(reduce_by_window(batches(fixture), largest, window, slide), ("peak",))


def counts_in_event_time(fixture, *, event_window, event_slide, offset, at=lambda row: row["at"], keys=("page",)):
    """Views by page and window of their event time: one every `event_slide`, the first beginning `offset` after the full hour."""
    window = Window("at", duration(event_window), duration(event_slide), duration(offset))
    query = (
        Each(lambda row: [{**row, "at": at(row)}]),
        Aggregate(keys, {"views": len}, window),
        select("window_start", "window_end", "page", "views"),
    )
    return structured(Query(query, "update"), fixture)


def _sticky_peak(fixture, *, window, slide):
    loads = [[("all", load) for load in batch] for batch in batches(fixture)]
    peaks = reduce_by_key_and_window(loads, max, window, slide, inverse=lambda largest, leaves: largest)
    return dstream([None if found is None else [load for _, load in found] for found in peaks], ("peak",))


def _peak_from_zero(fixture, *, window, slide):
    loads = windowed(batches(fixture), window, slide)
    return dstream([None if found is None else [reduce(max, found, 0)] for found in loads], ("peak",))


EMITS = {
    "counts_by_window": counts_by_window,
    "counts_with_inverse": counts_with_inverse,
    "peak": peak,
    "counts_in_event_time": counts_in_event_time,
}
_SWAPPED = Mistake("swapped", "Window and slide are swapped.", swap("window", "slide"))
_EVERY_SECOND = Mistake("no_slide", "The slide is left out: there is an output every second.", but(slide=1))
_ONE_SLIDE = Mistake("slide_only", "Only the seconds of one slide are counted.", but(window=computed("slide")))
MISTAKES = {
    "counts_by_window": (
        _SWAPPED,
        _EVERY_SECOND,
        Mistake("tumbling", "The windows tumble: the slide is as long as the window.", but(slide=computed("window"))),
        _ONE_SLIDE,
        Mistake("no_window", "Each second is counted by itself: there is no window.", but(window=1, slide=1)),
        Mistake("waits_for_full_windows", "Windows that are not full yet are left out.", but(from_second=computed("window"))),
    ),
    "counts_with_inverse": (
        Mistake("no_checkpoint", "The checkpoint folder is not set: pages.context() knows how.",
            failure=("refused", "checkpoint directory has not been set")),
        _SWAPPED,
        _EVERY_SECOND,
        _ONE_SLIDE,
        Mistake("zeros_stay", "Pages that have left the window stay with 0: a filterFunc takes them out.", but(keep=None)),
        Mistake("inverse_swapped", "The inverse takes the total from what leaves; it is the other way round.",
            but(inverse=lambda total, leaves: leaves - total, keep=None)),
        Mistake("inverse_swapped_and_filtered", "The inverse takes the total from what leaves, and the filter hides it.",
            but(inverse=lambda total, leaves: leaves - total)),
        Mistake("nothing_leaves", "The inverse does not take off what leaves.", but(inverse=lambda total, leaves: total)),
        Mistake("adds_what_leaves", "The inverse adds what leaves.", but(inverse=add)),
        Mistake("ones_filtered", "The filterFunc takes out pages with one view too.", but(keep=lambda pair: pair[1] > 1)),
    ),
    "peak": (
        _SWAPPED,
        _EVERY_SECOND,
        Mistake("maximum_stays", "A maximum cannot be taken back: with an inverse it stays for ever.", _sticky_peak),
        Mistake("sum", "The loads are added; the largest is asked for.", but(largest=add)),
        Mistake("smallest", "The smallest load is given out.", but(largest=min)),
        Mistake("from_zero", "An empty window has no peak, and a load may be below 0.", _peak_from_zero),
    ),
    "counts_in_event_time": (
        Mistake("offset_left_out", "The windows begin at the full hour: the offset is left out.", but(offset="0 minutes")),
        Mistake("event_time_is_logged_at", "The time is that of the log line, not that of the view.", but(at=lambda row: row["logged_at"])),
        Mistake("tumbling", "The windows tumble: the slide is left out.", but(event_slide=computed("event_window"))),
        Mistake("slide_only", "The windows are as long as the slide.", but(event_window=computed("event_slide"))),
        Mistake("page_forgotten", "All pages are counted together.", but(keys=())),
        Mistake("closed_at_the_end", "The windows hold their end and not their start.", but(at=lambda row: row["at"] - 1)),
    ),
}
