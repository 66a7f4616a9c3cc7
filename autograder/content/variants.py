"""A student's own variant of an assignment, drawn from the course's secret and the student's id. Nothing of it is stored."""

from __future__ import annotations

import hashlib
import hmac
import os
import tomllib
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from autograder.content.files import read_text
from autograder.content.manifest import first_refusal, line_of
from autograder.model import Assignment, KitError, Value, Variant

#: The file beside a student's file that says with what `check` grades it.
FILE = "variant.toml"
SECRET = "AUTOGRADER_SECRET"  # noqa: S105  # the variable's name
_LEAST_SECRET = 16
_SEEDS = 2**31
_HOW = f"Put a long random text into a file and name it with --secret, or set {SECRET}. Keep it as long as the course lasts."


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    assignment: str
    parameters: dict[str, bool | int | str] = Field(default_factory=dict)
    seeds: dict[str, Annotated[int, Field(ge=0, lt=_SEEDS)]] = Field(default_factory=dict)


def course_secret(file: Path | None) -> bytes:
    """The course's secret: of this file, else of the environment, from which it is taken away so that nothing started later has it.

    Raises KitError when there is none, or one that can be guessed.
    """
    given = os.environ.pop(SECRET, "")
    secret = (read_text(file) if file else given).strip().encode("utf-8", "surrogateescape")
    if len(secret) < _LEAST_SECRET:
        what = f"The course's secret has fewer than {_LEAST_SECRET} bytes." if secret else "There is no secret of the course."
        raise KitError(what, _HOW)
    return secret


def draw(secret: bytes, assignment: Assignment, student: str) -> Variant:
    """The variant of a student: for the same secret, slug and id the same for ever. Raises KitError for an empty id.

    A choice added to a parameter changes the draws of that parameter, and of no other.
    """
    name = unicodedata.normalize("NFC", student.strip())
    if not name:
        raise KitError("A student's id is empty.", "Name the student: --student ID.")

    def number(what: str) -> int:
        text = "\0".join((assignment.slug, name, what)).encode("utf-8", "surrogateescape")  # a file's name may be any bytes
        return int.from_bytes(hmac.digest(secret, text, hashlib.sha256))

    parameters = {key: each.choices[number(f"parameter {key}") % len(each.choices)] for key, each in assignment.parameters.items()}
    fixtures = sorted({fixture for check in assignment.checks for fixture in check.fixtures})
    # The seed of a visible fixture, which the student gets, tells nothing about that of a hidden one.
    return Variant(parameters, {fixture: number(f"fixture {fixture}") % _SEEDS for fixture in fixtures})


def to_toml(assignment: Assignment, variant: Variant) -> str:
    """What the student gets of a variant: the parameters, and the seeds of visible fixtures."""
    visible = {fixture for check in assignment.visible for fixture in check.fixtures}
    seeds = {fixture: seed for fixture, seed in variant.seeds.items() if fixture in visible}
    given = {"assignment": assignment.slug, "parameters": dict(variant.parameters), "seeds": seeds}
    return f"# With these values `autograder check {assignment.slug}` grades your file. Keep this one beside it.\n{tomli_w.dumps(given)}"


def beside(folder: Path, assignment: Assignment) -> Variant:
    """The variant that lies in a student's folder, else the defaults. Raises KitError with file and line for what it does not know."""
    path = folder / FILE
    if not path.is_file():
        return Variant(assignment.defaults())
    text = read_text(path)
    hint = "Take it as you were given it; your instructor can make it again."
    try:
        found = _File.model_validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise KitError(f"{path}: not valid TOML: {error}", hint) from error
    except ValidationError as error:
        raise KitError(f"{path}:{line_of(text, error.errors()[0]['loc'])}: {first_refusal(error)}", hint) from error
    if found.assignment != assignment.slug:
        return Variant(assignment.defaults())
    return Variant({**assignment.defaults(), **_known(path, text, found.parameters, assignment)}, found.seeds)


def _known(path: Path, text: str, values: Mapping[str, bool | int | str], assignment: Assignment) -> Mapping[str, Value]:
    for name, value in values.items():
        where = f"{path}:{line_of(text, ('parameters', name))}"
        if name not in assignment.parameters:
            raise KitError(f"{where}: {assignment.slug} has no parameter {name!r}.", f"It has: {', '.join(assignment.parameters)}.")
        choices = assignment.parameters[name].choices
        if value not in choices:
            raise KitError(f"{where}: {value!r} is no choice for {name!r}.", f"The choices are {', '.join(map(str, choices))}.")
    return values
