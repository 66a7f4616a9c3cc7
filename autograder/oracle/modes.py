"""Which output modes a query may run in, and why not in the others."""

from __future__ import annotations

from autograder.oracle.plan import Aggregate, Query, Session, Top, Watermark, Window


def allowed_modes(query: Query) -> dict[str, str]:
    """For each output mode an empty text, or the first reason for which Spark refuses it: the one that its message names.

    Source: Spark UnsupportedOperationChecker; run on 4.3.0.
    """
    return {mode: next(iter(found), "") for mode, found in reasons(query).items()}


def reasons(query: Query) -> dict[str, tuple[str, ...]]:
    """For each output mode all reasons that are true, in the order in which Spark looks for them; none where it is allowed.

    Reasons: ``needs_watermark``, ``no_aggregation``, ``sorting``, ``session_window``.
    """
    aggregate = next((op for op in query.operators if isinstance(op, Aggregate)), None)
    sorts = ("sorting",) if any(isinstance(operator, Top) for operator in query.operators) else ()
    if aggregate is None:
        return {"append": sorts, "update": sorts, "complete": ("no_aggregation",)}
    late = () if _on_event_time(query, aggregate) else ("needs_watermark",)
    session = ("session_window",) if isinstance(aggregate.window, Session) else ()
    return {"append": (*late, *sorts), "update": (*session, *sorts), "complete": ()}


def _on_event_time(query: Query, aggregate: Aggregate) -> bool:
    marks = {operator.column for operator in query.operators if isinstance(operator, Watermark)}
    window = aggregate.window
    return bool(marks & ({window.column} if isinstance(window, (Window, Session)) else set(aggregate.keys)))
