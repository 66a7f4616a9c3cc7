"""Calls of DStream operators as data, so that they can be looked at and changed before they are done."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeAlias, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Operation:
    """An operator, and what it is called with, by name."""

    name: str
    arguments: Mapping[str, Any]


ChangeOperation: TypeAlias = Callable[[Operation], Operation]


def _as_it_is(operation: Operation) -> Operation:
    return operation


#: What is done to a call before it is carried out: nothing, but while mutations are tried.
_CHANGE: ContextVar[ChangeOperation] = ContextVar("change", default=_as_it_is)


@contextlib.contextmanager
def changing_operations(change: ChangeOperation) -> Iterator[None]:
    """Have every call of an operator in this context changed. Within another such context, what that does follows."""
    outer = _CHANGE.get()
    with _set(lambda operation: outer(change(operation))):
        yield


@contextlib.contextmanager
def _set(change: ChangeOperation) -> Iterator[None]:
    token = _CHANGE.set(change)
    try:
        yield
    finally:
        _CHANGE.reset(token)


def operator(function: Callable[P, T]) -> Callable[P, T]:
    """A function whose calls can be changed. What it calls in its turn is not."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        change = _CHANGE.get()
        if change is _as_it_is:
            return function(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        operation = change(Operation(function.__name__, dict(bound.arguments)))
        with _set(_as_it_is):
            return function(**operation.arguments)  # type: ignore[call-arg]  # the same names, other values

    return called
