"""What right programs emit in their output modes, and what known mistakes would emit."""

from itertools import product

from autograder import oracle
from autograder.content.expected import either, plain, structured
from autograder.content.mistakes import but, swap
from autograder.model import Add, Batch, Mistake, Restart, StepOutput
from autograder.oracle import Aggregate, Deduplicate, Each, Query, Session, Top, Watermark, Window, duration

_COUNT = Aggregate(("page",), {"views": len})


def changed_counts(fixture, *, views=len):
    """At each trigger the pages whose count changed: update mode."""
    return structured(Query((Aggregate(("page",), {"views": views}),), "update"), fixture)


def all_counts(fixture):
    """At each trigger all pages: complete mode."""
    return structured(Query((_COUNT,), "complete"), fixture)


def final_counts(fixture, *, window, delay, mode="append"):
    """Each tumbling window and page once, when it is final: append mode; late views count for `delay`."""
    aggregate = Aggregate(("page",), {"views": len}, Window("at", duration(window)))
    return structured(Query((Watermark("at", duration(delay)), aggregate), mode), fixture)


def top_pages(fixture, *, n, order=lambda row: (-row["views"], row["page"])):
    """At each trigger the `n` most viewed pages, the most viewed first, equal ones by name."""
    return structured(Query((_COUNT, Top(n, order)), "complete"), fixture)


def upsert_counts(fixture, *, again=False, empty=False, add=lambda old, new: old + new):
    """After every trigger each page with its views so far.

    Mistakes: after a crash the last batch is added `again`; a start makes the table `empty`; `add` joins old and new views wrongly.
    """
    table: dict[str, int] = {}
    last: list[str] = []
    steps = []
    for arrives in fixture.steps:
        if isinstance(arrives, Add):
            last = batch = [row["page"] for row in arrives.rows["views"]]
        else:
            batch = last if (again or empty) and isinstance(arrives, Restart) and arrives.crash else []
        if empty and isinstance(arrives, Restart):
            table = {}
        for page in dict.fromkeys(batch):
            table[page] = add(table.get(page, 0), batch.count(page))
        steps.append(StepOutput((Batch(tuple({"page": page, "views": views} for page, views in table.items())),)))
    return tuple(steps)


_FIVE = duration("5 minutes")
_WATERMARK, _WINDOWED = Watermark("at", _FIVE), Aggregate(("page",), {"views": len}, Window("at", _FIVE))
_QUERIES = {
    "filter": (Each(lambda row: [row]),),
    "distinct": (Deduplicate(("page",)),),
    "count": (_COUNT,),
    "windowed_count": (_WINDOWED,),
    "count_with_watermark_elsewhere": (_WATERMARK, _COUNT),
    "windowed_count_with_watermark": (_WATERMARK, _WINDOWED),
    "session_with_watermark": (_WATERMARK, Aggregate(("page",), {"views": len}, Session("at", _FIVE))),
    "sorted_filter": (Each(lambda row: [row]), Top(None, lambda row: row["page"])),
    "top_pages": (_COUNT, Top(3, lambda row: row["views"])),
}


def _answers(name):
    """Every answer that is true: Spark's message names one reason, and there may be two."""
    reasons = oracle.reasons(Query(_QUERIES[name], "append"))
    return [dict(zip(reasons, each, strict=True)) for each in product(*(found or ("ok",) for found in reasons.values()))]


def allowed_modes(fixture, *, wrong_for=(), **wrong):
    """For each mode "ok" or a reason why Spark refuses it. Mistakes: some modes are `wrong` for some queries."""
    asked = [step.arguments[0] for step in fixture.steps]
    return plain(either(*({**answer, **(wrong if name in wrong_for else {})} for answer in _answers(name))) for name in asked)


def _users(rows):
    return len({row["user"] for row in rows} - {None})


def _fewest_first(row):
    return row["views"], row["page"]


def _equal_ones_backwards(row):
    return -row["views"], [-ord(letter) for letter in row["page"]]


EMITS = {
    "changed_counts": changed_counts,
    "all_counts": all_counts,
    "final_counts": final_counts,
    "top_pages": top_pages,
    "upsert_counts": upsert_counts,
    "allowed_modes": allowed_modes,
}
_APPEND = Mistake("append_without_watermark", "Append mode cannot give out a count that may still change.",
    failure=("refused", "without watermark"))
_SORTS = Mistake("sorted_in_this_mode", "Sorting needs the whole result, which only complete mode keeps.",
    failure=("refused", "sorting is not supported"))
_NEVER_FINAL = tuple(name for name in _QUERIES if _answers(name)[0]["append"] == "needs_watermark")
MISTAKES = {
    "changed_counts": (
        _APPEND,
        Mistake("complete_for_update", "The whole table is given out at each trigger, also what did not change.", all_counts),
        Mistake("users_counted", "Users are counted once a page; views are asked for.", but(views=_users)),
    ),
    "all_counts": (
        _APPEND,
        Mistake("update_for_complete", "Only what changed is given out; the whole table is asked for.", changed_counts),
    ),
    "final_counts": (
        _APPEND,
        Mistake("update_for_append", "Counts are given out while they still change.", but(mode="update")),
        Mistake("complete_for_append", "All windows are given out at each trigger.", but(mode="complete")),
        Mistake("no_delay", "The watermark does not wait: its delay is 0.", but(delay="0 seconds")),
        Mistake("swapped", "Window and delay are swapped.", swap("window", "delay")),
    ),
    "top_pages": (
        _APPEND,
        _SORTS,
        Mistake("ascending", "The least viewed pages come first.", but(order=_fewest_first)),
        Mistake("by_name", "The pages are sorted by name only.", but(order=lambda row: row["page"])),
        Mistake("ties_reversed", "Pages with equal views come in reverse order.", but(order=_equal_ones_backwards)),
        Mistake("not_cut", "All pages are given out, not the first n.", but(n=None)),
    ),
    "upsert_counts": (
        Mistake("counts_twice", "A batch that comes again after a crash is added again.", but(again=True)),
        Mistake("last_batch_only", "A page's count is that of one batch: others are lost.", but(add=lambda old, new: new)),
        Mistake("begins_anew", "The table is emptied when the program starts again.", but(empty=True)),
        Mistake("key_twice", "A page that is there already is inserted again.", failure=("raised_at_step", "UNIQUE constraint")),
        Mistake("table_made_twice", "The table is made again at the second batch.", failure=("raised_at_step", "already exists")),
    ),
    "allowed_modes": (
        Mistake("update_without_aggregation", "Update mode is allowed without an aggregation too.",
            but(wrong_for=("filter", "distinct"), update="no_aggregation")),
        Mistake("complete_keeps_everything", "Complete mode needs an aggregation: it keeps a result, not all rows.",
            but(wrong_for=tuple(_QUERIES), complete="ok")),
        Mistake("append_after_a_count", "A count may still change, so append needs a watermark that closes it.",
            but(wrong_for=_NEVER_FINAL, append="ok")),
        Mistake("any_watermark_will_do", "A watermark closes a group only when it is on one of the keys.",
            but(wrong_for=("count_with_watermark_elsewhere",), append="ok")),
        Mistake("sorting_in_update", "Sorting is refused in update mode too.", but(wrong_for=("top_pages",), update="ok")),
        Mistake("sessions_update", "Update mode does not do session windows.", but(wrong_for=("session_with_watermark",), update="ok")),
    ),
}
