"""Prove assignments, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from autograder.authoring import proof
from autograder.content import variants
from autograder.content.catalog import Catalog
from autograder.engines.base import Observer
from autograder.engines.runtime import Runtime
from autograder.grading.answer_key import AnswerKey
from autograder.grading.session import AT_ONCE, Session, gradable
from autograder.machine.progress import Progress
from autograder.model import Variant


def verify_all(  # noqa: PLR0913, PLR0917  # what is proved, and how
    catalog: Catalog,
    slugs: Sequence[str],
    say: Callable[[str], None],
    progress: Progress,
    of: tuple[bytes, str] | None = None,
    observer: Callable[[AnswerKey, Runtime], Observer] = lambda _, runtime: runtime,
) -> list[str]:
    """Prove the assignments, all when no slug is given; what is wrong, a line each.

    ``of`` is a course's secret and a student: then it is that student's variants that are proved. ``observer`` may put another one
    before a runtime, such as records.
    """
    wanted = gradable(catalog, slugs, progress)
    problems: list[str] = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for found in pool.map(lambda answer_key: _proved(answer_key, progress, of, observer), wanted):
            say(proof.to_text(found))
            problems += found.problems
    say(f"{len(problems)} problems" if problems else "Everything holds.")
    return problems


def _proved(
    answer_key: AnswerKey, progress: Progress, of: tuple[bytes, str] | None, observer: Callable[[AnswerKey, Runtime], Observer]
) -> proof.Proof:
    assignment = answer_key.assignment
    variant = variants.draw(of[0], assignment, of[1]) if of else Variant(assignment.defaults())
    with Runtime() as one, Runtime(beside=one) as other:
        return proof.prove(Session(answer_key), variant, (observer(answer_key, one), observer(answer_key, other)), progress)
