"""Wrong DStream programs made from the right one by rule: each differs in what one operator is called with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from autograder.oracle.operations import ChangeOperation, Operation

_FOR_EVER = 10**6  # batches
_REDUCES: Mapping[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "sum": ("The values are added.", lambda one, other: one + other),
    "largest": ("The largest value is taken.", max),
    "smallest": ("The smallest value is taken.", min),
    "first": ("The first value is taken.", lambda one, _: one),
    "last": ("The last value is taken.", lambda _, other: other),
}


@dataclass(frozen=True)
class OperationMutation:
    """One argument of an operator that is wrong, in words: what it is about, and how it is wrong."""

    id: str
    about: str
    says: str
    argument: str
    change: ChangeOperation


def operation_mutations(operation: Operation) -> Iterator[OperationMutation]:
    """All mutations of the calls of this operator."""
    arguments = operation.arguments
    if (arguments.get("function") and "inverse" not in arguments) or operation.name == "reduce_by_key_and_window":
        yield from _of_reduce(operation)
    if "slide" in arguments:
        yield from _of_window(operation.name)
    if arguments.get("inverse"):
        yield from _of_inverse(operation)
    if "update" in arguments:
        yield from _of_update(operation.name)


def _with(name: str, argument: str, change: Callable[[Mapping[str, Any]], Any]) -> ChangeOperation:
    """Calls of one operator with another argument, computed from those that it has."""

    def changed(operation: Operation) -> Operation:
        if operation.name != name:
            return operation
        return replace(operation, arguments={**operation.arguments, argument: change(operation.arguments)})

    return changed


def _of_reduce(operation: Operation) -> Iterator[OperationMutation]:
    right = operation.arguments["function"]
    for name, (says, wrong) in _REDUCES.items():
        if not _is_alike(right, wrong):
            change = _with(operation.name, "function", partial(_always, wrong))
            yield OperationMutation(f"reduced_to_{name}", "the function that joins two values", says, "function", change)


def _always(value: Any, _arguments: Mapping[str, Any]) -> Any:
    return value


def _is_alike(one: Callable[[Any, Any], Any], other: Callable[[Any, Any], Any]) -> bool:
    try:
        return [one(*pair) for pair in ((2, 3), (7, 5))] == [other(*pair) for pair in ((2, 3), (7, 5))]
    except (TypeError, ValueError, LookupError, AttributeError):
        return False  # it joins no numbers


def _of_window(name: str) -> Iterator[OperationMutation]:
    def lasting(change: Callable[[Mapping[str, Any]], int], word: str, says: str) -> OperationMutation:
        return OperationMutation(f"window_{word}", "the length of the windows", says, "window", _with(name, "window", change))

    def sliding(change: Callable[[Mapping[str, Any]], int], word: str, says: str) -> OperationMutation:
        return OperationMutation(f"slide_{word}", "the slide of the windows", says, "slide", _with(name, "slide", change))

    yield sliding(lambda found: found["window"], "is_window", "The windows tumble: the slide is as long as the window.")
    yield sliding(lambda _: 1, "missing", "The slide is left out: there is an output at every batch.")
    yield lasting(lambda found: found["slide"], "is_slide", "Only the batches of one slide are in the window.")
    yield lasting(lambda _: 1, "missing", "Only the last batch is in the window.")
    yield lasting(lambda found: found["window"] + found["slide"], "a_slide_more", "The window is a slide too long.")
    yield lasting(lambda found: max(1, found["window"] - found["slide"]), "a_slide_less", "The window is a slide too short.")
    yield lasting(lambda _: _FOR_EVER, "for_ever", "Nothing ever leaves the window.")


def _of_inverse(operation: Operation) -> Iterator[OperationMutation]:
    name, about = operation.name, "the inverse function"

    def inverse(word: str, says: str, change: Callable[[Mapping[str, Any]], Any]) -> OperationMutation:
        return OperationMutation(f"inverse_{word}", about, says, "inverse", _with(name, "inverse", change))

    yield inverse("swapped", "The inverse takes the total from what leaves.", lambda found: _swapped(found["inverse"]))
    yield inverse("does_nothing", "The inverse does not take off what leaves.", lambda _: lambda total, _left: total)
    yield inverse("adds", "The inverse adds what leaves.", lambda found: found["function"])
    about = "the filter function"
    if operation.arguments.get("keep"):
        says = "What has left the window stays: there is no filter function."
        yield OperationMutation("no_filter", about, says, "keep", _with(name, "keep", lambda _: None))


def _swapped(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda one, other: function(other, one)


_UPDATES: Mapping[str, tuple[str, Callable[[Any, list[Any], Any], Any]]] = {
    "not_kept": ("Each batch is taken by itself: the state so far is left out.", lambda update, new, _: update(new, None)),
    "forgotten_when_away": (
        "A key is forgotten as soon as a batch is without it.",
        lambda update, new, state: update(new, state) if new else None,
    ),
    "never_forgotten": ("A key is never forgotten.", lambda update, new, state: _or(update(new, state), state)),
    "anew_on_return": (
        "A key that comes again begins anew.",
        lambda update, new, state: update(new, None) if new else update(new, state),
    ),
    "first_values": ("Of a key's values in a batch only the first counts.", lambda update, new, state: update(new[:1], state)),
    "of_first_batch": (
        "Values count in the first batch of a key alone.",
        lambda update, new, state: update(new if state is None else [], state),
    ),
    "stands_still": ("Without new values the state stays as it is.", lambda update, new, state: update(new, state) if new else state),
}


def _updating(wrong: Callable[[Any, list[Any], Any], Any], arguments: Mapping[str, Any]) -> Callable[[list[Any], Any], Any]:
    return lambda new, state: wrong(arguments["update"], new, state)


def _or(new: Any, old: Any) -> Any:
    return old if new is None else new


def _of_update(name: str) -> Iterator[OperationMutation]:
    for word, (says, wrong) in _UPDATES.items():
        change = _with(name, "update", partial(_updating, wrong))
        yield OperationMutation(f"state_{word}", "what is kept in state", says, "update", change)
