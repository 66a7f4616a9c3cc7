"""Content and engine stay apart; the shipped assignments hold with other parameter values too."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.authoring import generated
from autograder.authoring.verify import verify_all
from autograder.content import variants
from autograder.content.catalog import Catalog, find_root
from autograder.engines.base import Observer
from autograder.engines.recorded import Recorded
from autograder.engines.runtime import Runtime
from autograder.grading.answer_key import AnswerKey
from autograder.grading.session import left_out
from autograder.grading.waves import Grading
from autograder.machine.progress import silent
from autograder.model import Outcome
from autograder.submission.read import Submission
from tests.conftest import HERE

CATALOG = Catalog(find_root())
SLUGS = CATALOG.slugs()


def quiet(text: str, done: int, of: int) -> None:
    """Progress that a failing test shows."""
    print(f"[{done}/{of}] {text}")


def named_by_content(slug: str) -> set[str]:
    """What an assignment calls things: itself, its functions, checks, fixtures, and the topics and words that its parameters may be."""
    assignment = CATALOG.assignment(slug)
    fixtures = {path.stem for path in CATALOG.fixture_folder(slug).glob("*/*.jsonl")}
    words = {value for each in assignment.parameters.values() for value in each.choices if isinstance(value, str) and value.isidentifier()}
    return {slug, *assignment.functions, *(check.id for check in assignment.checks), *fixtures, *words}


def test_the_engine_knows_no_assignment() -> None:
    """No slug, function, check, fixture or topic of an assignment stands in the code as a text of its own: adding one edits nothing there.

    Help texts may show real ones. Words that the kit has of its own (a Kafka fixture may observe the order of records, and a check is called so) are named here.
    """
    ours = {"allowed_modes", "empty", "json", "offset", "order", "readings", "staged", "times", "tumbling"}
    names = set().union(*map(named_by_content, SLUGS)) - ours
    trees = {path: ast.parse(path.read_text()) for path in (HERE.parent / "autograder").rglob("*.py")}
    texts = {(path.name, node.value) for path, tree in trees.items() for node in ast.walk(tree) if isinstance(node, ast.Constant)}

    assert sorted((file, text) for file, text in texts if text in names) == []


def test_an_assignment_is_added_without_the_engine(engine: Observer, kit: Path) -> None:
    """Renaming the toy makes a second assignment, which is built, listed and graded like the first."""
    for folder in ("assignments", "solutions", "fixtures"):
        (kit / folder / "toy").rename(kit / folder / "second")
    (kit / "assignments/second/toy.py").unlink()
    catalog = Catalog(kit)
    for path, text in generated.generated(catalog, "second").items():
        path.write_text(text)
    answer_key = AnswerKey.load(catalog, "second")

    report = Grading(answer_key, Submission.read(catalog.solution("second")), answer_key.assignment.defaults(), engine).report(
        answer_key.assignment.checks
    )

    assert catalog.slugs() == ("second",)
    assert (report.points, report.max_points) == (9, 9)


@pytest.mark.parametrize("slug", SLUGS)
def test_other_parameter_values(engine: Observer, slug: str) -> None:
    """In the variant of a student who draws no default, the solution still gets full points."""
    answer_key = AnswerKey.load(CATALOG, slug)
    if left_out(answer_key.assignment, quiet):
        pytest.skip("Kafka could not be fetched")
    parameters = answer_key.assignment.parameters.values()
    drawn = (variants.draw(b"any secret of the course", answer_key.assignment, str(number)) for number in itertools.count())
    variant = next(v for v in drawn if all(v.parameters[p.name] != p.default or len(p.choices) == 1 for p in parameters))
    values = dict(variant.parameters)

    answer_key = replace(answer_key, seeds=variant.seeds)
    report = Grading(answer_key, Submission.read(CATALOG.solution(slug)), values, engine).report(answer_key.assignment.checks)

    assert [(c.id, c.message) for c in report.checks if c.outcome is not Outcome.PASSED] == [], values


@pytest.mark.parametrize("slug", SLUGS)
def test_generated_files_are_fresh(slug: str) -> None:
    """Skeleton and handout are what `autograder build` would write."""
    assert generated.stale(CATALOG, slug) == []


@pytest.mark.parametrize("slug", SLUGS)
def test_handout_says_what_is_graded(slug: str) -> None:
    """The handout names every function, every parameter's default and how to check."""
    assignment, text = CATALOG.assignment(slug), CATALOG.handout(slug).read_text()

    assert f"autograder check {slug}" in text
    for name in assignment.functions:
        assert name in text
    for parameter in assignment.parameters.values():
        assert str(parameter.default) in text, parameter


def test_verify(recorded: Callable[..., Recorded], runtime: Runtime) -> None:
    """The kit's own proof: skeletons 0, right answers full points, each mistake caught by the checks it names.

    Solutions are replayed, and whatever has no record; two Sparks do it for all assignments.
    """
    solutions = {CATALOG.solution(slug).read_text() for slug in SLUGS}

    with Runtime() as other:
        shared = itertools.cycle((runtime, other, other, runtime))  # the solution, which has no records, goes to the first of two

        def observer(answer_key: AnswerKey, _own: Runtime) -> Recorded:
            return recorded(answer_key.assignment.slug, next(shared), lambda request: request.source in solutions)

        problems = verify_all(CATALOG, SLUGS, lambda _text: None, silent, observer=observer)
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)
