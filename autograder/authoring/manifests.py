"""A manifest as a release has it: without the hidden checks, and with the released values as defaults."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any

from autograder.content.catalog import Catalog
from autograder.content.files import read_text
from autograder.model import Assignment, KitError, Value


def released(catalog: Catalog, assignment: Assignment, values: Mapping[str, Value]) -> str:
    """The manifest's text. It is written anew, so that no comment and no order tells of what was taken out.

    Raises KitError when a value is no choice of its parameter, or when no visible check is left.
    """
    data = tomllib.loads(read_text(catalog.manifest(assignment.slug)))
    hidden = {check.id for check in assignment.checks if check.hidden}
    data["checks"] = [check for check in data["checks"] if check["id"] not in hidden]
    if not data["checks"]:
        raise KitError(f"{assignment.slug} has no visible check.", "Give students at least one that they can run.")
    for name, value in values.items():
        if name not in assignment.parameters or value not in assignment.parameters[name].choices:
            raise KitError(f"{assignment.slug}: {name} = {value!r} is no choice of a parameter.", "See its manifest for what there is.")
        data["parameters"][name]["default"] = value
    return to_toml(data)


def to_toml(data: Mapping[str, Any]) -> str:
    """A manifest's data as TOML: its tables of tables and lists of tables get headers. Raises AssertionError if it reads otherwise."""
    plain = {key: value for key, value in data.items() if not _has_tables(value)}
    blocks = ["\n".join(f"{key} = {_value(value)}" for key, value in plain.items())]
    for key, value in data.items():
        if isinstance(value, list) and key not in plain:
            blocks += [_block(f"[[{key}]]", table) for table in value]
        elif key not in plain:
            nested = all(isinstance(table, Mapping) for table in value.values())
            blocks += [_block(f"[{key}.{name}]", value[name]) for name in value] if nested else [_block(f"[{key}]", value)]
    text = "\n\n".join(blocks) + "\n"
    assert tomllib.loads(text) == data
    return text


def _has_tables(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value))


def _block(header: str, table: Mapping[str, Any]) -> str:
    return "\n".join([header, *(f"{key} = {_value(value)}" for key, value in table.items())])


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_text(key)} = {_value(item)}' for key, item in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return _text(value) if isinstance(value, str) else json.dumps(value)


def _text(value: str) -> str:
    """A JSON string is a TOML string when nothing but controls is escaped; DEL is one in TOML alone."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
