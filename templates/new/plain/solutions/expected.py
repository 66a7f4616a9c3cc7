"""What a right function returns, and what known mistakes would return."""

from autograder.content.expected import plain
from autograder.content.mistakes import but
from autograder.model import Mistake


def window_start(fixture, *, length, windows=lambda at, length: at // length):
    """The start of the tumbling window of `length` seconds in which an event time lies; one answer for each question."""
    times = [step.arguments[0] for step in fixture.steps]
    return plain(windows(at, length) * length for at in times)


EMITS = {"window_start": window_start}
MISTAKES = {
    "window_start": (
        Mistake("rounded", "The time is rounded to the nearest start, not down.", but(windows=lambda at, length: round(at / length))),
    ),
}
