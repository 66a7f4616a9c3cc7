"""A fifth engine: registered by a test, it takes an assignment of its own through `new`, `verify`, `check` and `grade`.

Nothing of the kit is edited for it: the engine is one object, and its assignment comes from templates beside the course.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder import engines
from autograder.cli.main import main
from autograder.engines import registry
from autograder.engines.base import Observed
from autograder.engines.runtime import Runtime
from autograder.machine.progress import Progress
from autograder.model import Add, Batch, Drive, Failure, GraderFaultError, KitError, Observation, Request, StepOutput
from tests.conftest import UNCONFINED

#: What runs in the untrusted process: the function is called with each step's rows, as lists.
PROGRAM = """
import json, sys
asked = json.load(sys.stdin)
space = {"__name__": "submission"}
exec(asked["source"], space)
print(json.dumps([space[asked["function"]](rows, **asked["parameters"]) for rows in asked["steps"]]))
"""


class Lists:
    """An engine that calls a function with the rows of each step, as a list of lists."""

    name = "lists"
    drives = (Drive("lists"),)
    provides = ()
    needs_brokers = False
    has_columns = True
    tells_silence = False
    shares = "lists"

    def __init__(self) -> None:
        self.prepared = 0

    def exclusive(self, request: Request) -> str:
        """Its replays run beside each other."""
        return ""

    def prepare(self, progress: Progress) -> None:
        """Python alone is needed."""
        self.prepared += 1

    def observe(self, requests: Sequence[Request], runtime: Runtime) -> Iterator[Observed]:
        """One process a replay, confined where the others are."""
        for request in requests:
            yield request, self.replayed(request, runtime)

    def replayed(self, request: Request, runtime: Runtime) -> Observation | GraderFaultError:
        """What one replay observed."""
        steps = [[list(row.values()) for row in step.rows["numbers"]] for step in request.fixture.steps if isinstance(step, Add)]
        parameters = {name: request.parameters[name] for name in request.function.parameters}
        asked = {"source": request.source, "function": request.function.name, "parameters": parameters, "steps": steps}
        command = [sys.executable, "-c", PROGRAM]
        command = runtime.sandbox.command(command) if runtime.sandbox else command
        done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=False, timeout=request.time_limit)
        if done.returncode:
            name, _, text = done.stderr.strip().splitlines()[-1].partition(": ")
            return Observation(failure=Failure("not_written" if name == "NotImplementedError" else "raised", text, None, name))
        names = list(request.function.columns)
        return Observation(tuple(StepOutput((Batch(({names[0]: answer},)),)) for answer in json.loads(done.stdout)))


MANIFEST = """version = 1
title = << title | tojson >>
summary = "Add up what arrives together."
order = << order >>

[verify]
accepted = 1
rejected = 1

[parameters.factor]
default = 2
choices = [2, 3]
says = "what every sum is multiplied by"

[functions.total]
engine = "lists"
sources = ["numbers"]
parameters = ["factor"]
columns = { total = "BIGINT" }

[[checks]]
id = "right"
says = "total adds the numbers of each step"
function = "total"
fixtures = ["some"]
points = 2
hints = ["What is the sum of nothing?"]

[[checks]]
id = "hidden_too"
says = "total multiplies by the factor"
function = "total"
fixtures = ["more"]
points = 2
parameters = { factor = 3 }
hints = ["Use the parameter."]
"""
EXPECTED = '''"""What a right function gives."""

from autograder.model import Batch, Mistake, StepOutput


def total(fixture, *, factor):
    """One sum a step."""
    sums = [factor * sum(row["number"] for row in step.rows["numbers"]) for step in fixture.steps]
    return tuple(StepOutput((Batch(({"total": each},)),)) for each in sums)


def once(fixture, *, factor):
    """Sums without the factor."""
    return total(fixture, factor=1)


EMITS = {"total": total}
MISTAKES = {"total": (Mistake("no_factor", "The factor is left out.", emits=once),)}
'''
SOLUTION = '''"""<< slug >>: sums."""


def total(numbers, factor):
    """The sum of the numbers, times the factor."""
    ### BEGIN SOLUTION
    return factor * sum(number for (number,) in numbers)
    ### END SOLUTION
'''
HEADER = '{"fixture": 1, "says": "some numbers", "drive": "lists", "sources": {"numbers": "number BIGINT"}}\n'
FILES = {
    "assignments/assignment.toml": MANIFEST,
    "solutions/expected.py": EXPECTED,
    "solutions/solution.py": SOLUTION,
    "solutions/handout.md.j2": "# {{ assignment.title }}\n\n`total` with {{ factor }}:\n\n{{ example('total', 'some') }}\n",
    "solutions/accepted/loop.py": "# accepted: a loop\n\ndef total(numbers, factor):\n    found = 0\n    for row in numbers:\n"
    "        found += row[0] * factor\n    return found\n",
    "solutions/rejected/no_factor.py": "# rejected: right, hidden_too | no_factor | the factor is left out\n\n"
    "def total(numbers, factor):\n    return sum(row[0] for row in numbers)\n",
    "solutions/samples/right.py": "def total(numbers, factor):\n    return factor * sum(row[0] for row in numbers)\n",
    "solutions/samples/half_right.py": "def total(numbers, factor):\n    return 2 * sum(row[0] for row in numbers)\n",
    "solutions/samples/wrong.py": "def total(numbers, factor):\n    return 1 / 0\n",
    "fixtures/visible/some.jsonl": HEADER + '{"add": {"numbers": [[1], [2]]}}\n{"add": {"numbers": []}}\n',
    "fixtures/hidden/more.jsonl": HEADER + '{"add": {"numbers": [[5]]}}\n',
}


@pytest.fixture
def lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lists]:
    """The engine, registered, and a course with templates for it."""
    for name, text in FILES.items():
        path = tmp_path / "templates/new/lists" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "assignments").mkdir()
    monkeypatch.setenv("AUTOGRADER_ROOT", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    engine = Lists()
    engines.register(engine)
    yield engine
    registry.forget("lists")


def said(*arguments: str) -> str:
    """What a verb prints when it does what it should."""
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_an_assignment_of_a_fifth_engine(lists: Lists, tmp_path: Path) -> None:
    """`new` makes it from the engine's templates, `verify` proves it, `check` and `grade` give marks; each prepares the engine."""
    assert f"wrote {tmp_path / 'assignments/sums/assignment.toml'}" in said("new", "sums", "--engine", "lists")
    assert "Everything holds." in said("verify", "sums")
    assert "2 of 2 points" in said("check", "sums", "solutions/sums/samples/half_right.py")
    wrong = said("check", "sums", "solutions/sums/samples/wrong.py")
    graded = said(
        "grade", "sums", *(f"solutions/sums/samples/{name}.py" for name in ("right", "half_right", "wrong")), "--quiet", *UNCONFINED
    )

    assert "total raises ZeroDivisionError: division by zero" in wrong
    assert "right: 4 of 4 points\nhalf_right: 2 of 4 points\nwrong: 0 of 4 points\n" in graded
    report = json.loads((tmp_path / "graded/sums/half_right/instructor.json").read_text())
    assert report["sandbox"] == ("none" if UNCONFINED else "bubblewrap")
    assert lists.prepared >= 4


def test_two_engines_of_one_name(lists: Lists) -> None:
    """A name or a drive that is taken is refused."""
    with pytest.raises(KitError, match="An engine or a drive of 'lists' is there already"):
        engines.register(Lists())


@pytest.mark.usefixtures("lists")
def test_an_unknown_engine_is_told() -> None:
    """`new` names those that there are."""
    done = CliRunner().invoke(main, ["new", "sums", "--engine", "flink"])

    assert done.exit_code == 2
    assert "There is no engine 'flink'.\nThe engines are: structured, dstream, plain, kafka, lists." in done.output


def test_nothing_outside_the_engines_asks_for_a_name() -> None:
    """No comparison with an engine's or a drive's name stands outside the engines' package, so that a fifth one needs no edit."""
    package = Path(engines.__file__).parent.parent
    known = {*engines.names(), *engines.drives()}
    found = [
        f"{path.relative_to(package)}:{node.lineno}"
        for path in sorted(package.rglob("*.py"))
        if not path.is_relative_to(package / "engines")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Compare)
        and any(".engine" in ast.unparse(side) or ".drive" in ast.unparse(side) for side in (node.left, *node.comparators))
        and known
        & {constant.value for constant in ast.walk(node) if isinstance(constant, ast.Constant) and isinstance(constant.value, str)}
    ]

    assert found == []
