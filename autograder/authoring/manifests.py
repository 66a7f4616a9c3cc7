"""A manifest as a release has it: without the hidden checks, and with the released values as defaults."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

import tomli_w

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
    return tomli_w.dumps(data)
