"""Durations, instants and the small arithmetic over parameters that manifests and fixtures are written in."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from autograder.machine.syntax import parse
from autograder.model import Value

_MICROSECONDS = {
    "us": 1, "microsecond": 1, "ms": 1_000, "millisecond": 1_000, "s": 1_000_000, "second": 1_000_000,
    "min": 60_000_000, "minute": 60_000_000, "h": 3_600_000_000, "hour": 3_600_000_000,
    "d": 86_400_000_000, "day": 86_400_000_000, "week": 604_800_000_000,
}  # fmt: skip
_QUANTITY = re.compile(r"(\d+)\s*([a-z]+)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def _unit(word: str) -> int | None:
    return _MICROSECONDS.get(word, _MICROSECONDS.get(word.removesuffix("s")))


def duration(text: str) -> int:
    """Microseconds in a duration as Spark writes it (``"10 minutes"``, ``"1 hour 30 minutes"``).

    Raises ValueError when it is not one.
    """
    parts = _QUANTITY.findall(text.strip().lower())
    units = [_unit(word) for _, word in parts]
    if not parts or None in units or _QUANTITY.sub("", text.strip().lower()).strip():
        raise ValueError(f"{text!r} is not a duration; write it like '10 minutes'")
    return sum(int(number) * unit for (number, _), unit in zip(parts, units, strict=True) if unit)


def instant(text: str) -> int:
    """Microseconds since the UTC epoch of an ISO 8601 instant. Raises ValueError without a time zone."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone; end it with Z")
    return (moment - _EPOCH) // timedelta(microseconds=1)


def iso(microseconds: int) -> str:
    """An instant as ISO 8601 in UTC, with a fraction only where there is one."""
    moment = _EPOCH + timedelta(microseconds=microseconds)
    text = moment.replace(tzinfo=None).isoformat()
    return (text.rstrip("0") if "." in text else text) + "Z"


def number(value: Value) -> int | None:
    """A parameter as arithmetic sees it: a number as it is, a duration in microseconds, else None."""
    if isinstance(value, int):
        return value
    try:
        return duration(value) if isinstance(value, str) else None
    except ValueError:
        return None


def evaluate(expression: str, parameters: Mapping[str, Value], start: int = 0) -> int:
    """The value of an expression such as ``@ + 2*window - 1 ms``: ``@`` is ``start``, durations count microseconds.

    Raises ValueError when a name is no parameter or something else than + - * // % stands in it.
    """
    plain = _QUANTITY.sub(_literal, expression).replace("@", "start__")
    names = {name: n for name, value in parameters.items() if (n := number(value)) is not None}
    try:
        return _fold(_expression(plain.strip()), {**names, "start__": start})
    except (SyntaxError, ZeroDivisionError, RecursionError) as error:
        raise ValueError(f"cannot read the expression {expression!r}") from error


def _expression(text: str) -> ast.expr:
    match parse(text).body:
        case [ast.Expr(value=found)]:
            return found
    raise ValueError(f"cannot read the expression {text!r}")


def _literal(match: re.Match[str]) -> str:
    unit = _unit(match[2])
    return match[0] if unit is None else str(int(match[1]) * unit)


def _fold(node: ast.expr, names: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.Name(id=name):
            raise ValueError(f"{name!r} is no parameter that counts; there are: {', '.join(sorted(names))}")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_fold(operand, names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_fold(left, names), _fold(right, names))
    raise ValueError("only + - * // % and parentheses stand in an expression")
