"""What right programs emit in their windows, and what known mistakes would emit."""

from functools import reduce

from autograder.content.expected import batches, dstream, structured
from autograder.model import Mistake
from autograder.oracle import Aggregate, Each, Query, Window, duration, reduce_by_key_and_window, reduce_by_window, windowed


def _add(a, b):
    return a + b


def _ones(fixture):
    return [[(page, 1) for page in batch] for batch in batches(fixture)]


def _pairs(outputs):
    return dstream(outputs, ("page", "views"))


def counts_by_window(fixture, *, window, slide):
    """Each window counted afresh."""
    return _pairs(reduce_by_key_and_window(_ones(fixture), _add, window, slide))


def _full_windows(fixture, *, window, slide):
    counted = reduce_by_key_and_window(_ones(fixture), _add, window, slide)
    return _pairs([found if found is None or time >= window else [] for time, found in enumerate(counted, 1)])


def _inverse(fixture, window, slide, inverse, keep=None):
    return _pairs(reduce_by_key_and_window(_ones(fixture), _add, window, slide, inverse, keep))


def peak(fixture, *, window, slide):
    """The maximum of each window."""
    return dstream(reduce_by_window(batches(fixture), max, window, slide), ("peak",))


def _sticky_peak(fixture, *, window, slide):
    pairs = [[(0, value) for value in batch] for batch in batches(fixture)]
    found = reduce_by_key_and_window(pairs, max, window, slide, lambda a, b: a)
    return dstream([None if out is None else [value for _, value in out] for out in found], ("peak",))


def _sum_peak(fixture, *, window, slide):
    return dstream(reduce_by_window(batches(fixture), _add, window, slide), ("peak",))


def _from_zero(fixture, *, window, slide):
    found = windowed(batches(fixture), window, slide)
    return dstream([None if out is None else [reduce(max, out, 0)] for out in found], ("peak",))


def counts_in_event_time(fixture, *, event_window, event_slide, offset, on="at", keys=("page",), closed=False):
    """Counts by event-time window."""
    def shape(row):
        return [{name: row.get(name) for name in ("window_start", "window_end", "page", "views")}]

    window = Window(on, duration(event_window), duration(event_slide), duration(offset))
    sooner = Each(lambda row: [{**row, on: row[on] - 1}] if closed else [row])
    return structured(Query((sooner, Aggregate(keys, {"views": len}, window), Each(shape)), "update"), fixture)


EMITS = {
    "counts_by_window": counts_by_window,
    "counts_with_inverse": counts_by_window,
    "peak": peak,
    "counts_in_event_time": counts_in_event_time,
}


def _event(**changes):
    return lambda fixture, **parameters: counts_in_event_time(fixture, **{**parameters, **changes})


_SWAPPED = Mistake("swapped", "Window and slide are swapped.", emits=lambda f, *, window, slide: counts_by_window(f, window=slide, slide=window))
_EVERY_SECOND = Mistake("no_slide", "The slide is left out: there is an output every second.", emits=lambda f, *, window, slide: counts_by_window(f, window=window, slide=1))
_TUMBLING = Mistake("tumbling", "The windows tumble: the slide is as long as the window.", emits=lambda f, *, window, slide: counts_by_window(f, window=window, slide=window))
_ONE_SLIDE = Mistake("slide_only", "Only the seconds of one slide are counted.", emits=lambda f, *, window, slide: counts_by_window(f, window=slide, slide=slide))
MISTAKES = {
    "counts_by_window": (
        _SWAPPED,
        _EVERY_SECOND,
        _TUMBLING,
        _ONE_SLIDE,
        Mistake("waits_for_full_windows", "Windows that are not full yet are left out.", emits=_full_windows),
        Mistake("window_hard_coded", "The window's length stands in the code.", emits=lambda f, *, window, slide: counts_by_window(f, window=10, slide=slide)),
        Mistake("slide_hard_coded", "The slide stands in the code.", emits=lambda f, *, window, slide: counts_by_window(f, window=window, slide=2)),
    ),
    "counts_with_inverse": (
        Mistake("no_checkpoint", "The checkpoint folder is not set: pages.context() knows how.", failure=("refused", "checkpoint directory has not been set")),
        _SWAPPED,
        _EVERY_SECOND,
        _ONE_SLIDE,
        Mistake("zeros_stay", "Pages that have left the window stay with 0: a filterFunc takes them out.", emits=lambda f, *, window, slide: _inverse(f, window, slide, lambda a, b: a - b)),
        Mistake("inverse_swapped", "The inverse takes the total from what leaves; it is the other way round.", emits=lambda f, *, window, slide: _inverse(f, window, slide, lambda a, b: b - a)),
        Mistake("inverse_swapped_and_filtered", "The inverse takes the total from what leaves, and the filter hides it.", emits=lambda f, *, window, slide: _inverse(f, window, slide, lambda a, b: b - a, lambda p: p[1] > 0)),
        Mistake("nothing_leaves", "The inverse does not take off what leaves.", emits=lambda f, *, window, slide: _inverse(f, window, slide, lambda a, b: a, lambda p: p[1] > 0)),
        Mistake("adds_what_leaves", "The inverse adds what leaves.", emits=lambda f, *, window, slide: _inverse(f, window, slide, _add, lambda p: p[1] > 0)),
        Mistake("ones_filtered", "The filterFunc takes out pages with one view too.", emits=lambda f, *, window, slide: _inverse(f, window, slide, lambda a, b: a - b, lambda p: p[1] > 1)),
    ),
    "peak": (
        Mistake("swapped", "Window and slide are swapped.", emits=lambda f, *, window, slide: peak(f, window=slide, slide=window)),
        Mistake("no_slide", "The slide is left out: there is an output every second.", emits=lambda f, *, window, slide: peak(f, window=window, slide=1)),
        Mistake("maximum_stays", "A maximum cannot be taken back: with an inverse it stays for ever.", emits=_sticky_peak),
        Mistake("sum", "The loads are added; the largest is asked for.", emits=_sum_peak),
        Mistake("smallest", "The smallest load is given out.", emits=lambda f, *, window, slide: dstream(reduce_by_window(batches(f), min, window, slide), ("peak",))),
        Mistake("from_zero", "An empty window has no peak, and a load may be below 0.", emits=_from_zero),
    ),
    "counts_in_event_time": (
        Mistake("offset_left_out", "The windows begin at the full hour: the offset is left out.", emits=_event(offset="0 minutes")),
        Mistake("event_time_is_logged_at", "The time is that of the log line, not that of the view.", emits=_event(on="logged_at")),
        Mistake("tumbling", "The windows tumble: the slide is left out.", emits=lambda f, *, event_window, event_slide, offset: counts_in_event_time(f, event_window=event_window, event_slide=event_window, offset=offset)),
        Mistake("slide_only", "The windows are as long as the slide.", emits=lambda f, *, event_window, event_slide, offset: counts_in_event_time(f, event_window=event_slide, event_slide=event_slide, offset=offset)),
        Mistake("page_forgotten", "All pages are counted together.", emits=_event(keys=())),
        Mistake("closed_at_the_end", "The windows hold their end and not their start.", emits=_event(closed=True)),
        Mistake("slide_hard_coded", "The slide stands in the code.", emits=_event(event_slide="5 minutes")),
        Mistake("offset_hard_coded", "The offset stands in the code.", emits=_event(offset="2 minutes")),
    ),
}
