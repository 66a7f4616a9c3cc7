"""What a right program emits on a stream of events, and what known mistakes would emit."""

from autograder.content.expected import structured
from autograder.content.mistakes import but
from autograder.model import Mistake
from autograder.oracle import Aggregate, Query, Watermark, Window, duration


def count_by_window(fixture, *, window, delay):
    """Events by kind and tumbling window of their event time, waiting `delay` for late ones."""
    count = Aggregate(("kind",), {"events": len}, Window("at", duration(window)))
    return structured(Query((Watermark("at", duration(delay)), count), "append"), fixture)


EMITS = {"count_by_window": count_by_window}
MISTAKES = {
    "count_by_window": (
        Mistake("no_watermark", "Append mode needs a watermark on the column of the window.", failure=("refused", "without watermark")),
        Mistake("no_delay", "The watermark does not wait: its delay is 0.", but(delay="0 seconds")),
    ),
}
