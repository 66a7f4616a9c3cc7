"""Slug to assignment. Every path of the content is derived here, and every manifest is read and refused here."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from autograder.model import Assignment, Check, Compare, Engine, Function, KitError, Least, Limits, Parameter, Value
from autograder.quantities import number

#: What slugs, parameters, functions, checks and fixtures are called.
IDENTIFIER = r"^[a-z][a-z0-9_]*$"
Identifier = Annotated[str, Field(pattern=IDENTIFIER)]
#: Characters that a title, or whatever else is said in a manifest, has at least.
SHORTEST = 3
Sentence = Annotated[str, Field(min_length=SHORTEST)]
Scalar = bool | int | str


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Parameter(_Strict):
    default: Scalar
    choices: list[Scalar] = Field(min_length=1)
    says: Sentence


class _Function(_Strict):
    engine: Engine
    sources: list[Identifier] = Field(default_factory=list)
    parameters: list[Identifier] = Field(default_factory=list)
    gives: list[Literal["checkpoint", "store", "handle", "running", "readings"]] = Field(default_factory=list)
    mode: Literal["append", "update", "complete"] | None = None
    columns: dict[str, str] = Field(default_factory=dict)
    ordered: bool = False


class _Check(_Strict):
    id: Identifier
    says: Sentence
    function: Identifier
    fixtures: list[Identifier] = Field(min_length=1)
    points: int = Field(ge=1)
    compare: Compare = "rows"
    needs: list[Identifier] = Field(default_factory=list)
    hints: list[Sentence] = Field(min_length=1)
    partial: bool = False
    time_limit: int = Field(default=60, ge=1, le=600)
    parameters: dict[str, Scalar] = Field(default_factory=dict)


class _Limits(_Strict):
    submission_time: int = Field(default=Limits.submission_time, ge=1, le=86_400)
    cpu_time: int = Field(default=Limits.cpu_time, ge=1, le=3600)
    memory: int = Field(default=Limits.memory, ge=1000, le=1_000_000)
    process_memory: int = Field(default=Limits.process_memory, ge=200, le=1_000_000)
    processes: int = Field(default=Limits.processes, ge=150, le=100_000)
    open_files: int = Field(default=Limits.open_files, ge=64, le=1_000_000)
    scratch: int = Field(default=Limits.scratch, ge=16, le=1_000_000)
    observation: int = Field(default=Limits.observation, ge=1, le=1000)
    printed_bytes: int = Field(default=Limits.printed_bytes, ge=100, le=10_000)


class _Least(_Strict):
    accepted: int = Field(default=Least.accepted, ge=1)
    rejected: int = Field(default=Least.rejected, ge=1)


class _Manifest(_Strict):
    version: Literal[1]
    title: Sentence
    summary: Sentence
    order: int
    parameters: dict[Identifier, _Parameter] = Field(default_factory=dict)
    functions: dict[Identifier, _Function] = Field(min_length=1)
    checks: list[_Check] = Field(min_length=1)
    limits: _Limits = Field(default_factory=_Limits)
    verify: _Least = Field(default_factory=_Least)


@dataclass(frozen=True)
class Catalog:
    """The content below one root folder: ``assignments/``, ``solutions/`` and ``fixtures/``."""

    root: Path

    def slugs(self) -> tuple[str, ...]:
        """All slugs, in the order that their manifests give."""
        found = [path.parent.name for path in self.root.glob("assignments/*/assignment.toml")]
        return tuple(sorted(found, key=lambda slug: (self.assignment(slug).order, slug)))

    def folder(self, slug: str) -> Path:
        """What a student gets."""
        return self.root / "assignments" / slug

    def manifest(self, slug: str) -> Path:
        """The assignment's manifest."""
        return self.folder(slug) / "assignment.toml"

    def handout(self, slug: str) -> Path:
        """The handout's Markdown file."""
        return self.folder(slug) / "README.md"

    def skeleton(self, slug: str) -> Path:
        """The file a student starts from, which is also the submission's usual name."""
        return self.folder(slug) / f"{slug}.py"

    def notebook(self, slug: str) -> Path:
        """The notebook a student may start from instead."""
        return self.folder(slug) / f"{slug}.ipynb"

    def solutions(self, slug: str) -> Path:
        """The folder of the solution, the expectation, and the accepted and rejected files."""
        return self.root / "solutions" / slug

    def solution(self, slug: str) -> Path:
        """The one source, with BEGIN/END SOLUTION markers."""
        return self.solutions(slug) / "solution.py"

    def expectation(self, slug: str) -> Path:
        """The oracle's part: pure Python, never shown to the untrusted side."""
        return self.solutions(slug) / "expected.py"

    def answers(self, slug: str) -> Path:
        """In a release, what stands for the expectation: the answers to the visible checks alone."""
        return self.folder(slug) / "expected.json"

    def fixture_folder(self, slug: str) -> Path:
        """The folder with ``visible/`` and ``hidden/``."""
        return self.root / "fixtures" / slug

    def templates(self, name: str) -> Path:
        """A file or folder of ``templates/``: the course's own, else the kit's. Raises KitError without either."""
        for root in (self.root, Path(__file__).resolve().parent.parent):
            if (root / "templates" / name).exists():
                return root / "templates" / name
        raise KitError(
            f"{self.root / 'templates' / name} is missing: there is nothing to fill in.",
            "Run it in a checkout of the kit, or set AUTOGRADER_ROOT to a folder that has its folder templates/.",
        )

    def fixture(self, slug: str, name: str) -> Path:
        """A fixture's file. Raises KitError when there is none of that name, or two."""
        folder = self.fixture_folder(slug)
        found = [path for path in (folder / "visible" / f"{name}.jsonl", folder / "hidden" / f"{name}.jsonl") if path.is_file()]
        if len(found) != 1:
            raise KitError(
                f"{self.manifest(slug)}: {'no' if not found else 'more than one'} fixture is called {name!r}",
                f"Keep one file {name}.jsonl in {folder}/visible or {folder}/hidden.",
            )
        return found[0]

    def assignment(self, slug: str) -> Assignment:
        """The assignment of a slug. Raises KitError with file and line when the manifest is refused."""
        path = self.manifest(slug)
        if not re.match(IDENTIFIER, slug) or not path.is_file():
            known = ", ".join(sorted(found.parent.name for found in self.root.glob("assignments/*/assignment.toml")))
            raise KitError(f"There is no assignment called {slug!r}.", f"Known assignments: {known or 'none'}.")
        text = read_text(path)
        manifest = _parse(path, text)
        _cross_check(path, text, manifest)
        built = self._build(slug, manifest)
        _check_order(path, text, built.checks)
        return built

    def _build(self, slug: str, manifest: _Manifest) -> Assignment:
        return Assignment(
            slug=slug,
            title=manifest.title,
            summary=manifest.summary,
            order=manifest.order,
            parameters={n: Parameter(n, p.default, tuple(p.choices), p.says) for n, p in manifest.parameters.items()},
            functions={n: _function(n, f) for n, f in manifest.functions.items()},
            checks=tuple(self._check(slug, check) for check in manifest.checks),
            limits=Limits(**manifest.limits.model_dump()),
            least=Least(**manifest.verify.model_dump()),
        )

    def _check(self, slug: str, check: _Check) -> Check:
        folders = {self.fixture(slug, name).parent.name for name in check.fixtures}
        if len(folders) > 1:
            raise KitError(
                f"{self.manifest(slug)}: check {check.id!r} mixes visible and hidden fixtures",
                "Split it into two checks, so that a student may see all of a visible one.",
            )
        values = check.model_dump()
        for name in ("fixtures", "needs", "hints"):
            values[name] = tuple(values[name])
        return Check(**values, hidden=folders == {"hidden"})


def find_root() -> Path:
    """The folder with the content: ``AUTOGRADER_ROOT``, else this folder or one above it, else the checkout."""
    given = os.environ.get("AUTOGRADER_ROOT")
    here = Path.cwd()
    places = [Path(given)] if given else [here, *here.parents, Path(__file__).resolve().parent.parent]
    for place in places:
        if (place / "assignments").is_dir():
            return place
    raise KitError(
        "No folder with assignments was found here or above.",
        "Run it inside the kit, or set AUTOGRADER_ROOT to the folder that holds assignments/.",
    )


def read_text(path: Path) -> str:
    """A content file as text. Raises KitError when it cannot be read as UTF-8."""
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise KitError(f"{path}: cannot be read: {error}", "Save the file as UTF-8 and check its permissions.") from error


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all. Raises KitError when it cannot be written."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write a file whole or not at all, with these permissions. Raises KitError when it cannot be written."""
    part = path.with_suffix(path.suffix + ".part")
    try:
        part.write_bytes(data)
        if mode is not None:
            part.chmod(mode)
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise _unwritable(path, error) from error


def make_folder(path: Path) -> None:
    """There is a folder with those above it, and files can be written there. Raises KitError when there cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        if not os.access(path, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> KitError:
    return KitError(f"{path}: cannot be written: {error.strerror}", "Name a folder that you may write to.")


def first_refusal(error: ValidationError, whole: str = "") -> str:
    """What pydantic refuses first: where (``whole`` when it is all of it), and why."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or whole}: {first['msg']}"


def parameters_for(assignment: Assignment, values: Mapping[str, Value], given: Mapping[str, str]) -> dict[str, Value]:
    """The parameters to grade with: these, but what was given instead. Raises KitError for what does not fit."""
    values = dict(values)
    for name, text in given.items():
        if name not in values:
            raise KitError(f"{assignment.slug} has no parameter {name!r}.", f"It has: {', '.join(values) or 'none'}.")
        values[name] = _as_parameter(assignment.parameters[name], text)
    return values


def _as_parameter(parameter: Parameter, text: str) -> Value:
    value: Value = text
    if isinstance(parameter.default, int):
        value = int(text) if re.fullmatch(r"\d{1,9}", text) else None
    if value is None or (number(parameter.default) is None) != (number(value) is None):
        raise KitError(
            f"{parameter.name}={text!r} does not fit this parameter.",
            f"Give something like {parameter.default!r}; the choices are {', '.join(map(str, parameter.choices))}.",
        )
    return value


def _function(name: str, function: _Function) -> Function:
    return Function(
        name=name,
        engine=function.engine,
        sources=tuple(function.sources),
        parameters=tuple(function.parameters),
        gives=tuple(function.gives),
        mode=function.mode,
        columns=function.columns,
        ordered=function.ordered,
    )


def _parse(path: Path, text: str) -> _Manifest:
    try:
        return _Manifest.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise KitError(f"{path}:{line[1] if line else 1}: not valid TOML: {error}", "Mend this line.") from error
    except ValidationError as error:
        line_number = line_of(text, error.errors()[0]["loc"])
        raise KitError(f"{path}:{line_number}: {first_refusal(error)}", "See CONTRIBUTING.md for the fields of a manifest.") from error


def _cross_check(path: Path, text: str, manifest: _Manifest) -> None:
    for loc, problem in _problems(manifest):
        raise KitError(f"{path}:{line_of(text, loc)}: {problem}", "Names in a manifest must agree with each other.")


def _problems(manifest: _Manifest) -> list[tuple[tuple[str | int, ...], str]]:
    problems: list[tuple[tuple[str | int, ...], str]] = []
    for name, parameter in manifest.parameters.items():
        if parameter.default not in parameter.choices:
            problems.append((("parameters", name), f"the default of {name!r} is not among its choices"))
    for name, function in manifest.functions.items():
        unknown = set(function.parameters) - set(manifest.parameters)
        problems += [(("functions", name), f"{name!r} takes {missing!r}, which is no parameter") for missing in sorted(unknown)]
        if not function.columns and function.engine != "kafka":
            problems.append((("functions", name), f"{name!r} does not say which columns its result has"))
    seen: list[str] = []
    for index, check in enumerate(manifest.checks):
        problems += [(("checks", index), problem) for problem in _check_problems(manifest, check, seen)]
        seen.append(check.id)
    return problems


def _check_problems(manifest: _Manifest, check: _Check, before: list[str]) -> list[str]:
    problems = [f"check {check.id!r} needs {need!r}, which is no check before it" for need in check.needs if need not in before]
    if check.id in before:
        problems.append(f"two checks are called {check.id!r}")
    if check.function not in manifest.functions:
        problems.append(f"check {check.id!r} is about {check.function!r}, which is no function")
    problems += [f"check {check.id!r} sets {name!r}, which is no parameter" for name in check.parameters if name not in manifest.parameters]
    return problems


def _check_order(path: Path, text: str, checks: Sequence[Check]) -> None:
    hidden = {check.id for check in checks if check.hidden}
    for index, check in enumerate(checks):
        if not check.hidden and hidden & set(check.needs):
            raise KitError(
                f"{path}:{line_of(text, ('checks', index))}: the visible check {check.id!r} needs a hidden one",
                "Visible checks are graded before hidden ones: let it need visible checks only.",
            )


def line_of(text: str, loc: tuple[Any, ...]) -> int:
    """The line of a TOML text at which a key path stands (1 when it cannot be told)."""
    lines = text.splitlines()
    table = [str(part) for part in loc if not isinstance(part, int)]
    start = _header_line(lines, loc, table)
    key = table[-1] if table else ""
    for index in range(start, len(lines)):
        if re.match(rf"\s*{re.escape(key)}\s*=", lines[index]):
            return index + 1
        if index > start and lines[index].startswith("["):
            break
    return min(start + 1, max(len(lines), 1))


def _header_line(lines: list[str], loc: tuple[Any, ...], table: list[str]) -> int:
    if len(loc) > 1 and isinstance(loc[1], int):
        headers = [index for index, line in enumerate(lines) if line.strip() == f"[[{loc[0]}]]"]
        return headers[loc[1]] if loc[1] < len(headers) else 0
    for length in range(len(table), 0, -1):
        for index, line in enumerate(lines):
            if line.strip() == f"[{'.'.join(table[:length])}]":
                return index
    return 0
