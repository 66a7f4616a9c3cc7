"""The report as JSON, the same bytes for the same report; its schema is ``docs/report.schema.json``."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter

from autograder.model import Report

_ADAPTER = TypeAdapter(Report)


def to_json(report: Report) -> str:
    """The report as indented JSON with a final newline."""
    return json.dumps(_ADAPTER.dump_python(report, mode="json"), indent=2, ensure_ascii=False) + "\n"


def from_json(text: str) -> Report:
    """The report that ``to_json`` wrote. Raises pydantic's ValidationError for anything else."""
    return _ADAPTER.validate_json(text)


def schema() -> dict[str, Any]:
    """The JSON schema of the report (draft 2020-12)."""
    found = _ADAPTER.json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}
