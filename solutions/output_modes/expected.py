"""What right programs emit in their output modes, and what known mistakes would emit."""

from autograder import oracle
from autograder.content.expected import plain, structured
from autograder.model import Add, Batch, Mistake, Restart, StepOutput
from autograder.oracle import Aggregate, Deduplicate, Each, Query, Session, Top, Watermark, Window, duration

_COUNT = Aggregate(("page",), {"views": len})
_FIVE = 300_000_000


def _in_mode(fixture, mode):
    return structured(Query((_COUNT,), mode), fixture)


def changed_counts(fixture):
    """Update mode."""
    return _in_mode(fixture, "update")


def all_counts(fixture):
    """Complete mode."""
    return _in_mode(fixture, "complete")


def final_counts(fixture, *, window, delay, mode="append"):
    """Append mode behind a watermark."""
    aggregate = Aggregate(("page",), {"views": len}, Window("at", duration(window)))
    return structured(Query((Watermark("at", duration(delay)), aggregate), mode), fixture)


def top_pages(fixture, *, n, order=lambda row: (-row["views"], row["page"])):
    """Complete mode, sorted and cut."""
    return structured(Query((_COUNT, Top(n, order)), "complete"), fixture)


def _table(fixture, *, twice=False, only_last=False, fresh=False):
    """The table after each step; mistakes add a batch again after a crash, keep one batch only, or begin anew."""
    table: dict[str, int] = {}
    last: list[str] = []
    steps = []
    for step in fixture.steps:
        pages = [row["page"] for row in step.rows["views"]] if isinstance(step, Add) else last if isinstance(step, Restart) and step.crash and twice else []
        last = pages if isinstance(step, Add) else last
        table = {} if fresh and isinstance(step, Restart) else {k: v for k, v in table.items() if not only_last or k not in pages}
        for page in pages:
            table[page] = table.get(page, 0) + 1
        steps.append(StepOutput((Batch(tuple({"page": page, "views": views} for page, views in table.items())),)))
    return tuple(steps)


def upsert_counts(fixture):
    """The table with every batch counted once."""
    return _table(fixture)


_QUERIES = {
    "filter": (Each(lambda row: [row]),),
    "distinct": (Deduplicate(("page",)),),
    "count": (_COUNT,),
    "windowed_count": (Aggregate(("page",), {"views": len}, Window("at", _FIVE)),),
    "count_with_watermark_elsewhere": (Watermark("at", _FIVE), _COUNT),
    "windowed_count_with_watermark": (Watermark("at", _FIVE), Aggregate(("page",), {"views": len}, Window("at", _FIVE))),
    "session_with_watermark": (Watermark("at", _FIVE), Aggregate(("page",), {"views": len}, Session("at", _FIVE))),
    "sorted_filter": (Each(lambda row: [row]), Top(None, lambda row: row["page"])),
    "top_pages": (_COUNT, Top(3, lambda row: row["views"])),
}


def _modes(name):
    found = oracle.allowed_modes(Query(_QUERIES[name], "append"))
    return {mode: reason or "ok" for mode, reason in found.items()}


def allowed_modes(fixture):
    """By the oracle's rules."""
    return plain(_modes(step.arguments[0]) for step in fixture.steps)


def _modes_but(change):
    return lambda fixture: plain(change(step.arguments[0], _modes(step.arguments[0])) for step in fixture.steps)


EMITS = {
    "changed_counts": changed_counts,
    "all_counts": all_counts,
    "final_counts": final_counts,
    "top_pages": top_pages,
    "upsert_counts": upsert_counts,
    "allowed_modes": allowed_modes,
}

_APPEND = Mistake("append_without_watermark", "Append mode cannot give out a count that may still change.", failure=("refused", "without watermark"))
_SORTS = Mistake("sorted_in_this_mode", "Sorting needs the whole result, which only complete mode keeps.", failure=("refused", "sorting is not supported"))


def _no_state(fixture):
    return tuple(
        StepOutput((Batch(tuple({"page": p, "views": pages.count(p)} for p in dict.fromkeys(pages))),) if pages else ())
        for pages in ([row["page"] for row in step.rows["views"]] if isinstance(step, Add) else [] for step in fixture.steps)
    )


MISTAKES = {
    "changed_counts": (
        _APPEND,
        Mistake("complete_for_update", "The whole table is given out at each trigger, also what did not change.", emits=all_counts),
        Mistake("users_counted", "Users are counted once a page; views are asked for.", emits=lambda f: structured(Query((Aggregate(("page",), {"views": lambda rows: len({r["user"] for r in rows})}),), "update"), f)),
    ),
    "all_counts": (
        _APPEND,
        Mistake("update_for_complete", "Only what changed is given out; the whole table is asked for.", emits=changed_counts),
    ),
    "final_counts": (
        _APPEND,
        Mistake("update_for_append", "Counts are given out while they still change.", emits=lambda f, *, window, delay: final_counts(f, window=window, delay=delay, mode="update")),
        Mistake("complete_for_append", "All windows are given out at each trigger.", emits=lambda f, *, window, delay: final_counts(f, window=window, delay=delay, mode="complete")),
        Mistake("no_delay", "The watermark does not wait: its delay is 0.", emits=lambda f, *, window, delay: final_counts(f, window=window, delay="0 seconds")),
        Mistake("swapped", "Window and delay are swapped.", emits=lambda f, *, window, delay: final_counts(f, window=delay, delay=window)),
        Mistake("window_hard_coded", "The window's length stands in the code.", emits=lambda f, *, window, delay: final_counts(f, window="10 minutes", delay=delay)),
        Mistake("delay_hard_coded", "The delay stands in the code.", emits=lambda f, *, window, delay: final_counts(f, window=window, delay="5 minutes")),
    ),
    "top_pages": (
        _APPEND,
        _SORTS,
        Mistake("ascending", "The least viewed pages come first.", emits=lambda f, *, n: top_pages(f, n=n, order=lambda r: (r["views"], r["page"]))),
        Mistake("by_name", "The pages are sorted by name only.", emits=lambda f, *, n: top_pages(f, n=n, order=lambda r: r["page"])),
        Mistake("ties_reversed", "Pages with equal views come in reverse order.", emits=lambda f, *, n: top_pages(f, n=n, order=lambda r: (-r["views"], [-ord(c) for c in r["page"]]))),
        Mistake("not_cut", "All pages are given out, not the first n.", emits=lambda f, *, n: top_pages(f, n=None)),
        Mistake("n_hard_coded", "The number of pages stands in the code.", emits=lambda f, *, n: top_pages(f, n=3)),
    ),
    "upsert_counts": (
        Mistake("counts_twice", "A batch that comes again after a crash is added again.", emits=lambda f: _table(f, twice=True)),
        Mistake("last_batch_only", "A page's count is that of one batch: others are lost.", emits=lambda f: _table(f, only_last=True)),
        Mistake("begins_anew", "The table is emptied when the program starts again.", emits=lambda f: _table(f, fresh=True)),
        Mistake("key_twice", "A page that is there already is inserted again.", failure=("raised_at_step", "UNIQUE constraint")),
        Mistake("table_made_twice", "The table is made again at the second batch.", failure=("raised_at_step", "already exists")),
    ),
    "allowed_modes": (
        Mistake("update_without_aggregation", "Update mode is allowed without an aggregation too.", emits=_modes_but(lambda name, modes: {**modes, "update": "no_aggregation"} if name in {"filter", "distinct"} else modes)),
        Mistake("complete_keeps_everything", "Complete mode needs an aggregation: it keeps a result, not all rows.", emits=_modes_but(lambda name, modes: {**modes, "complete": "ok"})),
        Mistake("append_after_a_count", "A count may still change, so append needs a watermark that closes it.", emits=_modes_but(lambda name, modes: {**modes, "append": "ok"} if modes["append"] == "needs_watermark" else modes)),
        Mistake("any_watermark_will_do", "A watermark closes a group only when it is on one of the keys.", emits=_modes_but(lambda name, modes: {**modes, "append": "ok"} if name == "count_with_watermark_elsewhere" else modes)),
        Mistake("sorting_in_update", "Sorting is refused in update mode too.", emits=_modes_but(lambda name, modes: {**modes, "update": "ok"} if name == "top_pages" else modes)),
        Mistake("sessions_update", "Update mode does not do session windows.", emits=_modes_but(lambda name, modes: {**modes, "update": "ok"} if name == "session_with_watermark" else modes)),
    ),
}
