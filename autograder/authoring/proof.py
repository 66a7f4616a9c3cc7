"""Prove an assignment: skeleton 0, right answers full points, every planted mistake caught by the checks it names."""

from __future__ import annotations

import ast
import queue
import re
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring import generated, strength_report
from autograder.content.files import read_text
from autograder.engines.base import Observer
from autograder.grading.answer_key import AnswerKey
from autograder.grading.session import Session
from autograder.machine.progress import Progress
from autograder.machine.syntax import parse
from autograder.model import CheckReport, KitError, Outcome, Report, Variant
from autograder.submission.read import Submission

SAMPLES = ("right", "half_right", "wrong")
_REJECTED = re.compile(r"# rejected: ([a-z0-9_, ]+) \| ([a-z0-9_]+|-) \| (\S.*)")
_ACCEPTED = re.compile(r"# accepted: \S.*")


@dataclass(frozen=True)
class Row:
    """One file of the matrix: a mark for every check, in the manifest's order."""

    kind: str
    name: str
    marks: str
    points: float


@dataclass(frozen=True)
class Proof:
    """The matrix of an assignment, and what is wrong with it, a line each."""

    slug: str
    checks: tuple[str, ...]
    rows: tuple[Row, ...]
    problems: list[str]


def prove(session: Session, variant: Variant, observers: Sequence[Observer], progress: Progress) -> Proof:
    """Grade every file of the assignment in a variant, by so many observers at once, and compare with what it says of itself."""
    answer_key = session.answer_key
    problems = without_grading(answer_key, variant)
    checks = answer_key.assignment.checks
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="autograder-verify-") as folder:
        prover = _Prover(session, variant, observers, Path(folder))
        files = list(_files(answer_key))
        for number, ((kind, path), report) in enumerate(zip(files, prover.grade_all(files), strict=True), 1):
            rows.append(Row(kind, path.stem, "".join(_MARKS[check.outcome] for check in report.checks), report.points))
            problems += prover.judge(kind, path, report)
            progress(f"{answer_key.assignment.slug}: {kind} {path.name}", number, len(files))
    problems += _uncaught(answer_key, [path for kind, path in files if kind == "rejected"])
    return Proof(answer_key.assignment.slug, tuple(check.id for check in checks), tuple(rows), problems)


def without_grading(answer_key: AnswerKey, variant: Variant) -> list[str]:
    """What is wrong with an assignment's files, and where it asks for that, with the strength of its fixtures in a variant."""
    strong = answer_key.assignment.verify.strong
    return [*_shape(answer_key), *(strength_report.problems(answer_key, variant) if strong else ())]


_MARKS = {
    Outcome.PASSED: "✔",
    Outcome.FAILED: "✘",
    Outcome.ERROR: "E",
    Outcome.TIMEOUT: "T",
    Outcome.OUT_OF_MEMORY: "M",
    Outcome.TOO_MANY_PROCESSES: "P",
    Outcome.TOO_MANY_FILES: "F",
    Outcome.TOO_MUCH_OUTPUT: "O",
    Outcome.SKIPPED: "·",
    Outcome.GRADER_ERROR: "!",
}


def _files(answer_key: AnswerKey) -> Iterator[tuple[str, Path]]:
    slug, catalog = answer_key.assignment.slug, answer_key.catalog
    yield "solution", catalog.solution(slug)
    yield "skeleton", catalog.skeleton(slug)
    for kind in ("accepted", "rejected"):
        for path in sorted((catalog.solutions(slug) / kind).glob("*.py")):
            yield kind, path
    for name in SAMPLES:
        path = catalog.solutions(slug) / "samples" / f"{name}.py"
        if path.is_file():
            yield "sample", path


class _Prover:
    """Grades the files, each by a free observer. What a file leaves to the solution keeps the solution's outcome."""

    def __init__(self, session: Session, variant: Variant, observers: Sequence[Observer], folder: Path) -> None:
        self.session, self.variant, self.folder = session, variant, folder
        self.answer_key = answer_key = session.answer_key
        self.free: queue.SimpleQueue[Observer] = queue.SimpleQueue()
        for observer in observers:
            self.free.put(observer)
        self.solution = answer_key.catalog.solution(answer_key.assignment.slug)
        self.reference: dict[str, CheckReport] = {}

    def grade_all(self, files: Sequence[tuple[str, Path]]) -> Iterator[Report]:
        """The reports in the files' order: the solution first, whose outcomes the others keep, then as observers are free."""
        (kind, path), *rest = files
        yield self.grade(kind, path)
        with ThreadPoolExecutor(self.free.qsize()) as pool:
            yield from pool.map(lambda file: self.grade(*file), rest)

    def grade(self, kind: str, path: Path) -> Report:
        """Grade a file by an observer that nobody else uses meanwhile."""
        observer = self.free.get()
        try:
            return self._graded(kind, path, observer)
        finally:
            self.free.put(observer)

    def _graded(self, kind: str, path: Path, observer: Observer) -> Report:
        """The report of a file, put behind the solution where it redefines only parts of it."""
        known: dict[str, CheckReport] = {}
        submission = path
        if kind in {"accepted", "rejected"}:
            text = read_text(path)
            submission = self.folder / path.parent.name / path.name
            submission.parent.mkdir(exist_ok=True)
            submission.write_text(read_text(self.solution) + "\n\n" + text, encoding="utf-8")
            mine = touched(self.answer_key, text)
            known = {name: found for name, found in self.reference.items() if found.function not in mine}
        read = Submission.read(submission, student=path.stem, name=path.name)
        report = self.session.grade(read, variant=self.variant, observer=observer, known=known).report
        if kind == "solution":
            self.reference = {check.id: check for check in report.checks}
        return report

    def judge(self, kind: str, path: Path, report: Report) -> list[str]:
        """What is wrong with a file's outcome."""
        faults = [check for check in report.checks if check.outcome is Outcome.GRADER_ERROR]
        if faults:
            return [f"{path}: the grader failed on {check.id}: {check.message}" for check in faults[:3]]
        if kind == "skeleton":
            return [f"{path}: the skeleton gets {report.points:g} points, not 0"] if report.points else []
        if kind == "rejected":
            return self._rejected(path, report)
        if kind == "sample":
            return _sample(path, report)
        lost = [f"{check.id} ({check.message})" for check in report.checks if check.outcome is not Outcome.PASSED]
        return [f"{path}: must get full points but loses {', '.join(lost)}"] if lost else []

    def _rejected(self, path: Path, report: Report) -> list[str]:
        header = rejected_header(path)
        if header is None:
            return []  # told by _shape
        wanted, mistake, _ = header
        lost = {check.id for check in report.checks if check.outcome not in {Outcome.PASSED, Outcome.SKIPPED}}
        problems = []
        if lost != wanted:
            problems.append(f"{path}:1: names {_list(wanted)} but loses {_list(lost)}")
        found = {part for check in report.checks if check.id in lost and check.mistake for part in check.mistake.split("+")}
        if mistake != "-" and mistake not in found:
            problems.append(f"{path}:1: must be diagnosed as {mistake} but is as {_list(found)}")
        if mistake == "-" and found:
            problems.append(f"{path}:1: names no mistake but is diagnosed as {_list(found)}: name it")
        return problems


def _sample(path: Path, report: Report) -> list[str]:
    part = report.points / report.max_points
    right = {"right": part == 1, "half_right": 0.2 <= part <= 0.8, "wrong": part < 0.2}  # noqa: PLR2004  # what the words mean
    return [] if right[path.stem] else [f"{path}: gets {report.points:g} of {report.max_points} points, which is not {path.stem}"]


def _list(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"


def touched(answer_key: AnswerKey, text: str) -> set[str]:
    """The functions whose outcome a file may change: those it defines, or all when it does more than define."""
    functions = set(answer_key.assignment.functions)
    try:
        body = parse(text).body
    except SyntaxError:
        return functions
    solution = parse(read_text(answer_key.catalog.solution(answer_key.assignment.slug))).body
    taken = {name for node in solution for name in _names(node)} - functions
    defined = {name for node in body for name in _names(node)}
    plain = all(isinstance(node, (ast.FunctionDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.ClassDef)) for node in body)
    overrides = {name for node in body if not isinstance(node, (ast.Import, ast.ImportFrom)) for name in _names(node)} & taken
    return functions & defined if plain and not overrides and functions & defined else functions


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def rejected_header(path: Path) -> tuple[set[str], str, str] | None:
    """The checks that a rejected file says it loses, the mistake it makes, and that in words."""
    found = _REJECTED.fullmatch(read_text(path).split("\n", 1)[0])
    return ({name.strip() for name in found[1].split(",")}, found[2], found[3]) if found else None


def _shape(answer_key: AnswerKey) -> Iterator[str]:
    """What is missing, stray, stale or unknown, without grading anything."""
    catalog, slug = answer_key.catalog, answer_key.assignment.slug
    yield from _stale(answer_key)
    yield from _stray(
        catalog.folder(slug),
        {"assignment.toml", "README.md", f"{slug}.py", f"{slug}.ipynb", "*.svg"},
    )
    ours = {"solution.py", "expected.py", "equivalent.toml", "handout.md.j2", "demo.toml", "accepted/*.py", "rejected/*.py", "samples/*.py"}
    yield from _stray(catalog.solutions(slug), ours)
    yield from _stray(catalog.fixture_folder(slug), {"visible/*.jsonl", "hidden/*.jsonl", "derive.py"})
    yield from _headers(answer_key)
    yield from _fixtures(answer_key)
    yield from _told_by_replays(answer_key)
    for function in answer_key.assignment.functions:
        if function not in answer_key.expectation.emits:
            yield f"{catalog.expectation(slug)}: EMITS has no {function}"
    for name in SAMPLES:
        if not (catalog.solutions(slug) / "samples" / f"{name}.py").is_file():
            yield f"{catalog.solutions(slug)}/samples/{name}.py is missing: `autograder demo` grades it"


def _stale(answer_key: AnswerKey) -> Iterator[str]:
    try:
        for path in generated.stale(answer_key.catalog, answer_key.assignment.slug):
            yield f"{path} is missing or stale: run `autograder build {answer_key.assignment.slug}`"
    except KitError as error:
        yield error.message


def _stray(folder: Path, allowed: set[str]) -> Iterator[str]:
    known = {path for pattern in allowed for path in folder.glob(pattern)}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path not in known and "__pycache__" not in path.parts:
            yield f"{path} is stray: remove it, or see CONTRIBUTING.md for where it belongs"


def _headers(answer_key: AnswerKey) -> Iterator[str]:
    folder = answer_key.catalog.solutions(answer_key.assignment.slug)
    accepted, rejected = sorted(folder.glob("accepted/*.py")), sorted(folder.glob("rejected/*.py"))
    minimum = answer_key.assignment.verify
    if len(accepted) < minimum.accepted:
        yield f"{folder}/accepted has {len(accepted)} files: write at least {minimum.accepted}, in different styles"
    if len(rejected) < minimum.rejected:
        yield f"{folder}/rejected has {len(rejected)} files: write at least {minimum.rejected}, one mistake each"
    for path in accepted:
        if not _ACCEPTED.fullmatch(read_text(path).split("\n", 1)[0]):
            yield f"{path}:1: begin with '# accepted: <style>'"
    known = {check.id for check in answer_key.assignment.checks}
    mistakes = {mistake.id for found in answer_key.expectation.mistakes.values() for mistake in found}
    for path in rejected:
        header = rejected_header(path)
        if header is None:
            yield f"{path}:1: begin with '# rejected: <checks> | <mistake or -> | <what is wrong>'"
        elif header[0] - known or (header[1] != "-" and header[1] not in mistakes):
            yield f"{path}:1: names what is not there: {_list((header[0] - known) | ({header[1]} - mistakes - {'-'}))}"


def _fixtures(answer_key: AnswerKey) -> Iterator[str]:
    used = {name for check in answer_key.assignment.checks for name in check.fixtures}
    for path in sorted(answer_key.catalog.fixture_folder(answer_key.assignment.slug).glob("*/*.jsonl")):
        if path.stem not in used:
            yield f"{path}: no check uses this fixture; name it in one or remove it"


def _uncaught(answer_key: AnswerKey, rejected: list[Path]) -> list[str]:
    headers = [rejected_header(path) for path in rejected]
    caught = {name for header in headers if header for name in header[0]}
    missing = [check.id for check in answer_key.assignment.checks if check.id not in caught]
    return [f"{answer_key.catalog.manifest(answer_key.assignment.slug)}: no rejected file fails {name}: write one" for name in missing]


def to_text(proof: Proof) -> str:
    """The matrix for a terminal: files down, checks across."""
    lines = [f"{proof.slug}  (✔ passed  ✘ failed  E error  T timeout  · skipped  ! grader failed)"]
    lines += [f"  {index:2} {name}" for index, name in enumerate(proof.checks, 1)]
    width = max((len(row.name) for row in proof.rows), default=0)
    tens = "".join(str(index // 10 or " ") for index in range(1, len(proof.checks) + 1))
    ones = "".join(str(index % 10) for index in range(1, len(proof.checks) + 1))
    lines += [f"  {'':8} {'':{width}} {tens}", f"  {'':8} {'':{width}} {ones}"]
    lines += [f"  {row.kind:8} {row.name:{width}} {row.marks} {row.points:6g}" for row in proof.rows]
    lines += [f"  PROBLEM {problem}" for problem in proof.problems]
    return "\n".join(lines)


#: What a check compares that only the replay itself can tell, and the part of all points that may rest on it.
_SELF_TOLD, _MOST_SELF_TOLD = ("state", "times"), 1 / 6


def _told_by_replays(answer_key: AnswerKey) -> Iterator[str]:
    checks, points = answer_key.assignment.checks, answer_key.assignment.max_points
    told = sum(check.points for check in checks if check.compare in _SELF_TOLD)
    if told > points * _MOST_SELF_TOLD:
        path = answer_key.catalog.manifest(answer_key.assignment.slug)
        yield f"{path}: {told} of {points} points are for state or times, which a replay tells of itself: let it be a sixth at most"
