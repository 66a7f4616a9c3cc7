"""Where a recording goes: what the assignment says of its source, the file's name, and the proof that it can be read."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.authoring import streams
from autograder.authoring.cells import Drive, Plan
from autograder.authoring.recording import Recorded, record, record_topic
from autograder.catalog import IDENTIFIER, Catalog
from autograder.fixtures import SCALAR, read_fixture, schema_columns
from autograder.model import Assignment, Engine, KitError

_DRIVES: dict[Engine, Drive] = {"structured": "step", "dstream": "batch", "kafka": "kafka"}


@dataclass(frozen=True)
class Target:
    """Where a recording is wanted: a fixture of an assignment, a file ``out``, or neither, to print it."""

    slug: str | None = None
    name: str | None = None
    hidden: bool = False
    out: Path | None = None


@dataclass(frozen=True)
class Place:
    """What a recording is for. Without an assignment it fits any; without a path it is printed."""

    catalog: Catalog | None = None
    assignment: Assignment | None = None
    path: Path | None = None


def place(target: Target, root: Callable[[], Path]) -> Place:
    """Where the fixture goes. Raises KitError when it is there already or can have no such name."""
    if target.slug is None:
        return Place(path=_free(target.out))
    catalog = Catalog(root())
    assignment = catalog.assignment(target.slug)
    return Place(catalog, assignment, _free(target.out) if target.out else _fixture(catalog, target))


def _fixture(catalog: Catalog, target: Target) -> Path:
    slug, name = target.slug or "", target.name or ""
    if not re.fullmatch(IDENTIFIER, name) or name.endswith("\n"):
        problem = f"{name!r} is no name for a fixture." if name else "The fixture has no name."
        raise KitError(problem, f"Write autograder record {slug} NAME …, with a to z, 0 to 9 and _ in NAME, or --out FILE.")
    paths = [catalog.fixture_folder(slug) / folder / f"{name}.jsonl" for folder in ("visible", "hidden")]
    for path in paths:
        _free(path)
    return paths[target.hidden]


def _free(path: Path | None) -> Path | None:
    if path is not None and path.exists():
        raise KitError(f"{path} is there already.", "Take another name, or remove the file first.")
    return path


def planned(where: Place, plan: Plan) -> Plan:
    """The plan with what the assignment knows: its source, how that is driven, and the columns that its fixtures have."""
    if where.assignment is None or where.catalog is None:
        return replace(plan, source=plan.source or "events", drive=plan.drive or "step")
    engines = _engines(where.assignment)
    drives = {_DRIVES[engine] for engine in engines.values()}
    if plan.drive == "kafka" or (drives == {"kafka"} and not plan.source):
        return replace(plan, drive="kafka")
    sources = [name for name, engine in engines.items() if engine != "kafka"]
    source = plan.source or (sources[0] if len(sources) == 1 else "")
    if source not in sources:
        problem = f"has no source {source!r}" if source else "has not one source"
        raise KitError(f"{where.assignment.slug} {problem}.", f"Name one with --source: {', '.join(sources) or 'none is there'}.")
    schema = plan.schema or _schema(where.catalog, where.assignment, source)
    return replace(plan, source=source, schema=schema, drive=plan.drive or _DRIVES[engines[source]])


def _engines(assignment: Assignment) -> dict[str, Engine]:
    return {source: function.engine for function in assignment.functions.values() for source in function.sources}


def _schema(catalog: Catalog, assignment: Assignment, source: str) -> str | None:
    """The columns that the source has in the assignment's fixtures, for its functions are written for them."""
    for path in sorted(catalog.fixture_folder(assignment.slug).glob("*/*.jsonl")):
        schemas = read_fixture(path, assignment.defaults()).schemas
        if source in schemas:
            return schemas[source]
    return None


def single(plan: Plan) -> bool:
    """Whether single values are asked for, so that a line is one. Raises KitError when the schema is none."""
    try:
        return plan.schema is not None and [name for name, _ in schema_columns(plan.schema)] == [SCALAR]
    except ValueError as error:
        raise KitError(f"--schema: {error}", "For example: --schema 'at TIMESTAMP, page STRING', or STRING for single values.") from error


def recorded(entries: list[streams.Entry], plan: Plan, where: Place) -> Recorded:
    """The fixture of the entries, read back as grading will read it. Raises KitError when a row does not fit."""
    if plan.drive == "kafka" and not all(entry.partitions for entry in entries):
        raise KitError("A fixture for functions on brokers is recorded from a topic.", "Use --from kafka:HOST:PORT/TOPIC.")
    found = record_topic(entries, plan) if plan.drive == "kafka" else record(entries, plan)
    with tempfile.TemporaryDirectory(prefix="autograder-record-") as folder:
        path = Path(folder) / "recorded.jsonl"
        path.write_text(found.text, encoding="utf-8")
        try:
            read_fixture(path, where.assignment.defaults() if where.assignment else {})
        except KitError as error:
            message = error.message.replace(f"{path}:", "the fixture's line ")
            raise KitError(message, "Nothing was written. Record it with other options.") from error
    return found
