"""Where a recording goes: what the assignment says of its source, the file's name, and the proof that it can be read."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from autograder import engines
from autograder.authoring import streams
from autograder.authoring.columns import Plan, usual_drive
from autograder.authoring.recording import Recorded, record, record_topic
from autograder.content.catalog import Catalog, find_root
from autograder.content.files import make_folder, write_text
from autograder.content.fixtures import SCALAR, read_fixture
from autograder.model import IDENTIFIER, Assignment, Columns, Drive, KitError


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
    drive = _drive(plan.drive_name) if plan.drive_name else None
    if where.assignment is None or where.catalog is None:
        return replace(plan, source=plan.source or "events", drive=drive or usual_drive())
    usual = {source: drives[0] for source, drives in _drives(where.assignment).items()}
    on_brokers = next((found for found in usual.values() if found.on_brokers), None)
    if (drive and drive.on_brokers) or (on_brokers and not plan.source and all(found.on_brokers for found in usual.values())):
        return replace(plan, drive=drive or on_brokers or usual_drive())
    sources = [name for name, found in usual.items() if not found.on_brokers]
    source = plan.source or (sources[0] if len(sources) == 1 else "")
    if source not in sources:
        problem = f"has no source {source!r}" if source else "has not one source"
        raise KitError(f"{where.assignment.slug} {problem}.", f"Name one with --source: {', '.join(sources) or 'none is there'}.")
    schema = plan.schema or _schema(where.catalog, where.assignment, source)
    return replace(plan, source=source, schema=schema, drive=drive or usual[source])


def _drive(name: str) -> Drive:
    known = engines.drives()
    if name not in known:
        raise KitError(f"--drive {name}: there is no such drive.", f"There are: {', '.join(known)}.")
    return known[name]


def _drives(assignment: Assignment) -> dict[str, tuple[Drive, ...]]:
    """By source, the drives of the engine whose function reads it."""
    return {source: engines.engine(function.engine).drives for function in assignment.functions.values() for source in function.sources}


def _schema(catalog: Catalog, assignment: Assignment, source: str) -> Columns | None:
    """The columns that the source has in the assignment's fixtures, for its functions are written for them."""
    for path in sorted(catalog.fixture_folder(assignment.slug).glob("*/*.jsonl")):
        schemas = read_fixture(path, assignment.defaults()).schemas
        if source in schemas:
            return schemas[source]
    return None


def recorded(entries: list[streams.Entry], plan: Plan, where: Place) -> Recorded:
    """The fixture of the entries, read back as grading will read it. Raises KitError when a row does not fit."""
    if plan.drive.on_brokers and not all(entry.partitions for entry in entries):
        raise KitError("A fixture for functions on brokers is recorded from a topic.", "Use --from kafka:HOST:PORT/TOPIC.")
    found = record_topic(entries, plan) if plan.drive.on_brokers else record(entries, plan)
    with tempfile.TemporaryDirectory(prefix="autograder-record-") as folder:
        path = Path(folder) / "recorded.jsonl"
        path.write_text(found.text, encoding="utf-8")
        try:
            read_fixture(path, where.assignment.defaults() if where.assignment else {})
        except KitError as error:
            message = error.message.replace(f"{path}:", "the fixture's line ")
            raise KitError(message, "Nothing was written. Record it with other options.") from error
    return found


def record_stream(reading: streams.Reading, plan: Plan, target: Target) -> tuple[Recorded, Path | None]:
    """Turn a live stream into a fixture, written whole or not at all; with where it is, or None when it is to be printed.

    Raises KitError for what cannot be read or does not fit.
    """
    where = place(target, find_root)
    plan = planned(where, replace(plan, says=plan.says or f"{reading.rows} rows recorded from {reading.origin.name}"))
    values_alone = plan.schema is not None and [name for name, _ in plan.schema] == [SCALAR]
    form = reading.form_for(values_alone or plan.drive.on_brokers)
    found = recorded(streams.take(reading, form), replace(plan, schema=plan.schema or _SCHEMAS.get(form)), where)
    if where.path:
        make_folder(where.path.parent)
        write_text(where.path, found.text)
    return found, where.path


#: The columns of streams that do not say theirs.
_SCHEMAS: dict[str, Columns] = {"lines": ((SCALAR, "STRING"),)}
