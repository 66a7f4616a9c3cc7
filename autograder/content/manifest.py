"""An assignment's manifest: read, validated into the model, and refused with file and line."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from autograder import engines
from autograder.content.files import read_text
from autograder.model import Assignment, Check, Function, KitError

#: Where something stands in a manifest: keys of tables and numbers of list items, from 0.
Location: TypeAlias = tuple[str | int, ...]
_ASSIGNMENT = TypeAdapter(Assignment)
_VERSION = 1
_FIELDS = "See CONTRIBUTING.md for the fields of a manifest."
_AGREE = "Names in a manifest must agree with each other."


def read_manifest(path: Path, slug: str, hidden: Callable[[str], bool]) -> Assignment:
    """The assignment of a manifest; ``hidden`` says of a fixture's name whether students do not see it.

    Raises KitError with file and line when the manifest is refused.
    """
    text = read_text(path)
    data = _parsed(path, text)
    try:
        found = _ASSIGNMENT.validate_json(json.dumps(_named(data, slug), default=str))
    except ValidationError as error:
        where = line_of(text, error.errors()[0]["loc"])
        raise KitError(f"{path}:{where}: {first_refusal(error)}", _FIELDS) from error
    for location, problem, hint in _problems(found):
        raise KitError(f"{path}:{line_of(text, location)}: {problem}", hint)
    return _with_hidden_checks(path, text, found, hidden)


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        raise KitError(f"{path}:{line[1] if line else 1}: not valid TOML: {error}", "Fix this line.") from error
    if data.pop("version", None) != _VERSION:
        raise KitError(f"{path}:{line_of(text, ('version',))}: version: a manifest begins with version = {_VERSION}", _FIELDS)
    for location in _derived(data):
        raise KitError(f"{path}:{line_of(text, location)}: {location[-1]}: there is no field of this name", _FIELDS)
    return data


def _derived(data: Mapping[str, Any]) -> list[Location]:
    """Where a manifest says what it must not."""
    found: list[Location] = [("slug",)] if "slug" in data else []
    for name, tables in _DERIVED.items():
        for kind in tables:
            inner = data.get(kind)
            pairs = inner.items() if isinstance(inner, dict) else enumerate(inner) if isinstance(inner, list) else ()
            found += [(kind, key, name) for key, table in pairs if isinstance(table, dict) and name in table]
    return found


#: Fields of the model that a manifest does not say: they come of where things stand.
_DERIVED = {"name": ("parameters", "functions"), "hidden": ("checks",)}


def _named(data: Mapping[str, Any], slug: str) -> dict[str, Any]:
    """The manifest's data with what the model has beside: the slug, and each name in its own table."""
    found = {**data, "slug": slug}
    for kind in ("parameters", "functions"):
        tables = found.get(kind)
        if isinstance(tables, dict):
            found[kind] = {name: {**table, "name": name} if isinstance(table, dict) else table for name, table in tables.items()}
    return found


def _with_hidden_checks(path: Path, text: str, assignment: Assignment, hidden: Callable[[str], bool]) -> Assignment:
    checks = []
    for index, check in enumerate(assignment.checks):
        kinds = {hidden(name) for name in check.fixtures}
        if len(kinds) > 1:
            raise KitError(
                f"{path}:{line_of(text, ('checks', index))}: check {check.id!r} mixes visible and hidden fixtures",
                "Split it into two checks, so that a student may see all of a visible one.",
            )
        checks.append(replace(check, hidden=kinds == {True}))
    secret = {check.id for check in checks if check.hidden}
    for index, check in enumerate(checks):
        if not check.hidden and secret & set(check.needs):
            raise KitError(
                f"{path}:{line_of(text, ('checks', index))}: the visible check {check.id!r} needs a hidden one",
                "Visible checks are graded before hidden ones: let it need visible checks only.",
            )
    return replace(assignment, checks=tuple(checks))


def _problems(assignment: Assignment) -> list[tuple[Location, str, str]]:
    """What does not fit together: where it stands, what it is, and what to do."""
    problems: list[tuple[Location, str, str]] = []
    for name, parameter in assignment.parameters.items():
        if parameter.default not in parameter.choices:
            problems.append((("parameters", name), f"the default of {name!r} is not among its choices", _AGREE))
    for name, function in assignment.functions.items():
        problems += [(("functions", name), *problem) for problem in _function_problems(assignment, function)]
    before: list[str] = []
    for index, check in enumerate(assignment.checks):
        problems += [(("checks", index), problem, _AGREE) for problem in _check_problems(assignment, check, before)]
        before.append(check.id)
    return problems


def _function_problems(assignment: Assignment, function: Function) -> list[tuple[str, str]]:
    if function.engine not in engines.names():
        return [(f"there is no engine {function.engine!r}", f"The engines are: {', '.join(engines.names())}.")]
    engine, name = engines.engine(function.engine), function.name
    unknown = set(function.parameters) - set(assignment.parameters)
    problems = [(f"{name!r} takes {missing!r}, which is no parameter", _AGREE) for missing in sorted(unknown)]
    for extra in sorted(set(function.provides) - set(engine.provides)):
        given = ", ".join(engine.provides) or "nothing"
        problems.append((f"{name!r} wants {extra!r}, which the engine {engine.name!r} does not provide", f"It provides: {given}."))
    if function.table and "store" not in function.provides:
        problems.append((f"{name!r} names a table, and is given no store", 'Write provides = ["store"].'))
    if function.table and (other := sorted(set(function.table.key) - set(function.columns))):
        problems.append((f"the table's key of {name!r} has {other[0]!r}, which is no column", _AGREE))
    if not function.columns and engine.has_columns:
        problems.append((f"{name!r} does not say which columns its result has", _AGREE))
    return problems


def _check_problems(assignment: Assignment, check: Check, before: list[str]) -> list[str]:
    problems = [f"check {check.id!r} needs {need!r}, which is no check before it" for need in check.needs if need not in before]
    if check.id in before:
        problems.append(f"two checks are called {check.id!r}")
    if check.function not in assignment.functions:
        problems.append(f"check {check.id!r} is about {check.function!r}, which is no function")
    unknown = [name for name in check.parameters if name not in assignment.parameters]
    return problems + [f"check {check.id!r} sets {name!r}, which is no parameter" for name in unknown]


#: What pydantic's words would tell Python programmers only, by the type of its error.
_WORDS = {
    "extra_forbidden": "there is no field of this name",
    "unexpected_keyword_argument": "there is no field of this name",
    "missing": "this field is missing",
    "missing_argument": "this field is missing",
}


def first_refusal(error: ValidationError, whole: str = "") -> str:
    """What pydantic refuses first: where (``whole`` when it is all of it; items of a list count from 1), and why."""
    first = error.errors()[0]
    place = ".".join(str(part + 1 if isinstance(part, int) else part) for part in _in_the_file(first["loc"]))
    return f"{place or whole}: {_WORDS.get(first['type'], first['msg'])}"


def _in_the_file(location: tuple[Any, ...]) -> tuple[Any, ...]:
    """Where something stands, without the names that pydantic has for the forms that it may have."""
    return tuple(part for part in location if not str(part).startswith("~"))


def line_of(text: str, location: tuple[Any, ...]) -> int:
    """The line of a TOML text at which a key path stands, or the last of its keys that has one (1 when it cannot be told)."""
    lines, location = text.splitlines(), _in_the_file(location)
    table = [str(part) for part in location if not isinstance(part, int)]
    start = _header_line(lines, location, table)
    end = next((index for index in range(start + 1, len(lines)) if lines[index].startswith("[")), len(lines))
    for key in reversed(table):
        for index in range(start, end):
            if re.match(rf"\s*{re.escape(key)}\s*=", lines[index]):
                return index + 1
    return min(start + 1, max(len(lines), 1))


def _header_line(lines: list[str], location: tuple[Any, ...], table: list[str]) -> int:
    if len(location) > 1 and isinstance(location[1], int):
        headers = [index for index, line in enumerate(lines) if line.strip() == f"[[{location[0]}]]"]
        return headers[location[1]] if location[1] < len(headers) else 0
    for length in range(len(table), 0, -1):
        for index, line in enumerate(lines):
            if line.strip() == f"[{'.'.join(table[:length])}]":
                return index
    return 0
