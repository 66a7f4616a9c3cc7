"""Content that is wrong is refused with file and line, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.authoring import generated, notebooks, skeletons
from autograder.content import expected as expectation
from autograder.content.catalog import Catalog, parameters_for
from autograder.content.fixtures import read_fixture
from autograder.model import KitError

MANIFESTS = [
    ("order = 1", "order = ", r"assignment.toml:4: not valid TOML"),
    ("order = 1", "order = 'x'", r"assignment.toml:4: order: .*integer"),
    ("order = 1", "order = 1\ncolour = 'red'", r"assignment.toml:5: colour: there is no field of this name"),
    ('mode = "update"', 'mode = "upsert"', r"assignment.toml:15: functions.counts.mode: .*'append', 'update'"),
    ("default = 1", "default = 7", r"assignment.toml:6: the default of 'least' is not among its choices"),
    ('needs = ["counts_runs"]', 'needs = ["nothing"]', r"assignment.toml:\d+: check 'counts_right' needs 'nothing'"),
    ('function = "double"', 'function = "triple"', r"check 'double_right' is about 'triple', which is no function"),
    ('fixtures = ["numbers"]', 'fixtures = ["letters"]', r"no fixture is called 'letters'"),
    ('fixtures = ["secret"]', 'fixtures = ["secret", "three_steps"]', r"check 'counts_hidden' mixes visible and hidden fixtures"),
    ('id = "counts_right"', 'id = "counts_runs"', r"two checks are called 'counts_runs'"),
    ("[functions.counts]", "[limits]\nmemory = 10\n\n[functions.counts]", r"limits.memory: .*greater than or equal to 1000"),
    ("[functions.counts]", "[limits]\nthreads = 10\n\n[functions.counts]", r"limits.threads: there is no field of this name"),
    (
        'hints = ["Multiply by two."]',
        'hints = ["Multiply by two."]\nneeds = ["counts_hidden"]',
        r"assignment.toml:\d+: the visible check 'double_right' needs a hidden one\nVisible checks are graded before hidden ones",
    ),
    ('id = "double_right"', 'id = "double_right"\nhidden = true', r"assignment.toml:\d+: hidden: there is no field of this name"),
    (
        'engine = "plain"',
        'engine = "flink"',
        r"assignment.toml:\d+: there is no engine 'flink'\nThe engines are: structured, dstream, plain, kafka",
    ),
    ('engine = "plain"', 'engine = "plain"\nprovides = ["store"]', r"'double' wants 'store', which the engine 'plain' does not provide"),
    ('engine = "plain"', 'engine = "plain"\ntable = { name = "sums", key = ["a"] }', r"'double' names a table, and is given no store"),
    ('hints = ["Multiply by two."]', "hints = [7]", r"assignment.toml:68: checks.5.hints.1: a hint is a sentence, or \{ for = \["),
    ('hints = ["Multiply by two."]', 'hints = ["a"]', r"assignment.toml:68: checks.5.hints.1: String should have at least 3"),
    (
        'hints = ["Multiply by two."]',
        'hints = [{ says = "Multiply." }]',
        r"assignment.toml:68: checks.5.hints.1.for: this field is missing",
    ),
    (
        'hints = ["Multiply by two."]',
        'hints = ["Multiply.", { for = ["wrong"], says = "By two." }]',
        r"assignment.toml:68: checks.5.hints.2.for.1: Input should be 'missing', 'unexpected'",
    ),
    ('hints = ["Multiply by two."]', 'hints = [{ for = [], says = "By two." }]', r"checks.5.hints.1.for: .*at least 1 item"),
    (
        'hints = ["Multiply by two."]',
        'hints = [{ for = ["missing"], says = "By two.", points = 1 }]',
        r"checks.5.hints.1.points: there is no field of this name",
    ),
    ("points = 1", "points = 0", r"points: .*greater than or equal to 1"),
    ('hints = ["Multiply by two."]', "hints = []", r"hints: .*at least 1 item"),
]


@pytest.mark.parametrize(("old", "new", "text"), MANIFESTS)
def test_manifest_is_refused(kit: Path, old: str, new: str, text: str) -> None:
    """A manifest that does not hold together names the line."""
    path = kit / "assignments/toy/assignment.toml"
    path.write_text(path.read_text().replace(old, new, 1))

    with pytest.raises(KitError, match=text):
        Catalog(kit).assignment("toy")


HEADER = '{"fixture": 1, "says": "a stream", "drive": "step", "sources": {"views": "at TIMESTAMP, page STRING"}}\n'
FIXTURES = [
    ("", r"f.jsonl:1: a fixture has a header line and at least one step"),
    (HEADER + "{\n", r"f.jsonl:2: not valid JSON"),
    (HEADER + '{"sleep": 1}\n', r"f.jsonl:2: a step is exactly one of add"),
    (HEADER + '{"add": {"views": []}, "flush": true}\n', r"f.jsonl:2: a step is exactly one of add"),
    (HEADER + '{"add": {"clicks": []}}\n', r"f.jsonl:2: 'clicks' is no source of this fixture; it has: views"),
    (HEADER + '{"add": {"views": [["@"]]}}\n', r"f.jsonl:2: a row has 2 cells \(at, page\), not 1"),
    (HEADER + '\n{"add": {"views": [["@", 7]]}}\n', r"f.jsonl:3: 7 is no STRING \(column 'page'\)"),
    (HEADER + '{"add": {"views": [["noon", "a"]]}}\n', r"f.jsonl:2: Invalid isoformat string: 'noon'"),
    (HEADER + '{"add": {"views": [["2024-01-01T00:00:00", "a"]]}}\n', r"f.jsonl:2: .* has no time zone; end it with Z"),
    (HEADER + '{"add": {"views": [["@ + wndow", "a"]]}}\n', r"f.jsonl:2: 'wndow' is no parameter that counts; there are: least"),
    (HEADER + '{"add": {"views": [["@ + __import__(1)", "a"]]}}\n', r"f.jsonl:2: only \+ - \* // % and parentheses"),
    (HEADER.replace("TIMESTAMP", "TIME") + '{"flush": true}\n', r"f.jsonl:1: 'at TIME, page STRING' is no schema"),
    (HEADER.replace('"step"', '"race"') + '{"flush": true}\n', r"f.jsonl:1: drive: there is no drive 'race'; there are: step, staged"),
]


@pytest.mark.parametrize(("text", "message"), FIXTURES)
def test_fixture_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """A fixture that holds something unknown names the line."""
    path = tmp_path / "f.jsonl"
    path.write_text(text)

    with pytest.raises(KitError, match=message):
        read_fixture(path, {"least": 1})


SOLUTIONS = [
    ("x = 1\n", r"solution.py:1: there is no BEGIN SOLUTION"),
    ("### BEGIN SOLUTION\nx = 1\n", r"solution.py:1: BEGIN SOLUTION without an END SOLUTION"),
    ("x = 1\n### END SOLUTION\n", r"solution.py:2: END SOLUTION without a BEGIN SOLUTION"),
    ("### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION\n", r"solution.py:2: BEGIN SOLUTION stands in the block of line 1"),
    ("# BEGIN  SOLUTION\n", r"solution.py:1: a marker is written exactly"),
    ("x = 1\n### BEGIN SOLUTION\ny = (\n### END SOLUTION\n", r"solution.py:3: the solution is not Python: '\(' was never closed\nFix"),
    ("def f(:\n### BEGIN SOLUTION\n### END SOLUTION\n", r"solution.py:1: the solution is not Python: invalid syntax"),
    ("### BEGIN SOLUTION\n### END SOLUTION\n\0", r"solution.py:1: the solution is not Python: .*null bytes"),
    ("### BEGIN SOLUTION\nx = " + "-" * 5000 + "1\n### END SOLUTION\n", r"solution.py:1: the solution is not Python: "),
    ("if x:\n### BEGIN SOLUTION\n    y = 1\n### END SOLUTION\n", r"solution.py: the skeleton cut from it is not Python"),
]


@pytest.mark.parametrize(("text", "message"), SOLUTIONS)
def test_solution_is_refused(text: str, message: str) -> None:
    """Markers that are unbalanced, nested or misspelled name the line, and so does what is not Python."""
    with pytest.raises(KitError, match=message):
        skeletons.cut_skeleton(Path("solution.py"), text)


@pytest.mark.parametrize("make", [notebooks.student_notebook, notebooks.source_notebook])
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("### END SOLUTION", "", r"toy/solution.py:\d+: BEGIN SOLUTION"),
        ("def ", "def größe():\n    pass\n\n\ndef ", r"toy/solution.py:\d+: no cell of a notebook can be called 'größe'"),
        ("def ", "def words():\n    pass\n\n\ndef ", r"toy/solution.py:\d+: no cell .* 'words', or another one is.\nGive each function"),
        ("def ", "def imports():\n    pass\n\n\ndef ", r"toy/solution.py:\d+: no cell of a notebook can be called 'imports'"),
        ("def ", f"def {'x' * 64}():\n    pass\n\n\ndef ", r"toy/solution.py:\d+: no cell of a notebook can be called 'xxx"),
        ("def ", "def (", r"toy/solution.py:\d+: the solution is not Python: invalid syntax"),
    ],
)
def test_no_notebook_is_made_of_it(kit: Path, make: Callable[..., str], old: str, new: str, message: str) -> None:
    """Neither the student's nor nbgrader's, which would hand out the solution."""
    catalog = Catalog(kit)
    path = catalog.solution("toy")
    path.write_text(path.read_text().replace(old, new, 1))

    with pytest.raises(KitError, match=message):
        make(catalog, catalog.assignment("toy"), "A handout.")


def test_expectation_is_refused(kit: Path) -> None:
    """An expected.py that fails names the line."""
    path = kit / "solutions/toy/expected.py"
    path.write_text("x = 1\ny = z\n")

    with pytest.raises(KitError, match=r"expected.py:2: NameError: name 'z' is not defined"):
        expectation.load(path)


def test_handout_is_refused(kit: Path) -> None:
    """A handout that names what is not there is refused with what it may name."""
    (kit / "solutions/toy/handout.md.j2").write_text("{{ window }}")

    with pytest.raises(KitError, match=r"'window' is undefined\nIt may use: least, assignment"):
        generated.generated(Catalog(kit), "toy")


def test_unknown_slug(kit: Path) -> None:
    """A slug that is not there is answered with those that are."""
    with pytest.raises(KitError, match=r"no assignment called '../toy'.\nKnown assignments: toy"):
        Catalog(kit).assignment("../toy")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"window": "1"}, r"toy has no parameter 'window'.\nIt has: least"),
        ({"least": "many"}, r"least='many' does not fit .*\n.*choices are 1, 2"),
    ],
)
def test_parameter_is_refused(kit: Path, given: dict[str, str], message: str) -> None:
    """A parameter that is unknown or of another kind is refused with what would do."""
    toy = Catalog(kit).assignment("toy")
    with pytest.raises(KitError, match=message):
        parameters_for(toy, toy.defaults(), given)
