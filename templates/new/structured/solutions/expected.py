"""What a right program emits on a stream of events, and what known mistakes would emit."""

from autograder.content.expected import structured
from autograder.model import Mistake
from autograder.oracle import Aggregate, Query, Watermark, Window, duration


def count_by_window(fixture, *, window, delay):
    """Counts by kind and tumbling window, as the oracle has them."""
    count = Aggregate(("kind",), {"events": len}, Window("at", duration(window)))
    return structured(Query((Watermark("at", duration(delay)), count), "append"), fixture)


def no_delay(fixture, *, window, delay):
    """The same with a watermark that does not wait."""
    return count_by_window(fixture, window=window, delay="0 seconds")


def delay_hard_coded(fixture, *, window, delay):
    """The same with the default delay, whatever was asked for."""
    return count_by_window(fixture, window=window, delay="5 minutes")


EMITS = {"count_by_window": count_by_window}
MISTAKES = {
    "count_by_window": (
        Mistake("no_watermark", "Append mode needs a watermark on the column of the window.", failure=("refused", "without watermark")),
        Mistake("no_delay", "The watermark does not wait: its delay is 0.", emits=no_delay),
        Mistake("delay_hard_coded", "The delay stands in the code.", emits=delay_hard_coded),
    ),
}
