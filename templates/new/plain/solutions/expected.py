"""What a right function returns, and what known mistakes would return."""

from autograder.content.expected import plain
from autograder.model import Mistake


def window_start(fixture, *, length):
    """One answer for each question of the fixture."""
    return plain(step.arguments[0] // length * length for step in fixture.steps)


def rounded(fixture, *, length):
    """The nearest multiple."""
    return plain(round(step.arguments[0] / length) * length for step in fixture.steps)


def length_hard_coded(fixture, *, length):
    """Windows of the default length."""
    return window_start(fixture, length=10)


EMITS = {"window_start": window_start}
MISTAKES = {
    "window_start": (
        Mistake("rounded", "The time is rounded to the nearest start, not down.", emits=rounded),
        Mistake("length_hard_coded", "The window's length stands in the code.", emits=length_hard_coded),
    ),
}
