"""Which output modes a query may run in, and why not in the others."""

from __future__ import annotations

from autograder.oracle.plan import Aggregate, Query, Session, Top, Watermark, Window


def allowed_modes(query: Query) -> dict[str, str]:
    """For each output mode an empty text, or why Spark refuses it.

    Reasons: ``needs_watermark``, ``no_aggregation``, ``sorting``, ``session_window``.
    Source: Spark UnsupportedOperationChecker; run on 4.3.0.
    """
    aggregate = next((op for op in query.operators if isinstance(op, Aggregate)), None)
    sorts = any(isinstance(operator, Top) for operator in query.operators)
    if aggregate is None:
        return {"append": "sorting" * sorts, "update": "sorting" * sorts, "complete": "no_aggregation"}
    session = isinstance(aggregate.window, Session)
    return {
        "append": "sorting" if sorts else "" if _on_event_time(query, aggregate) else "needs_watermark",
        "update": "sorting" if sorts else "session_window" if session else "",
        "complete": "",
    }


def _on_event_time(query: Query, aggregate: Aggregate) -> bool:
    marks = {operator.column for operator in query.operators if isinstance(operator, Watermark)}
    window = aggregate.window
    return bool(marks & ({window.column} if isinstance(window, (Window, Session)) else set(aggregate.keys)))
