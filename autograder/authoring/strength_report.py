"""What ``autograder strength`` prints and writes, and what ``verify`` takes from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from autograder.authoring import claims, real_strength
from autograder.authoring.strength import Survivor, named_as_same, to_fixture
from autograder.authoring.trials import Findings, Weakness, findings, values_text
from autograder.content import variants
from autograder.content.catalog import Catalog
from autograder.content.files import write_text
from autograder.grading.answer_key import AnswerKey
from autograder.grading.session import gradable
from autograder.machine.progress import Progress
from autograder.model import Assignment, KitError, Variant
from autograder.model.assignment import IDENTIFIER

#: Students whose variants are tried are no course's.
_SECRET = b"autograder strength"


def report(catalog: Catalog, slugs: Sequence[str], students: int, fixture: str | None, say: Callable[[str], None]) -> bool:
    """Say for each assignment which wrong programs survive and which claims the data do not show; whether there are any.

    Raises KitError for a name that no fixture can have, and for several assignments when one fixture is to be written.
    """
    if fixture is not None and (len(slugs) != 1 or not re.fullmatch(IDENTIFIER, fixture)):
        raise KitError("--write wants one assignment and a name such as equal_times.", "Name one SLUG; letters, digits and _ alone.")
    weak = False
    for slug in slugs or catalog.slugs():
        answer_key = AnswerKey.load(catalog, slug).complete()
        found = findings(answer_key, drawn(answer_key.assignment, students), in_pairs=not students)
        for line in _lines(slug, found, tell_variant=students > 0):
            say(line)
        streams = [each.survivor for each in found.weak if each.survivor.stream]
        if fixture is not None and streams:
            say(f"wrote {_written(catalog, slug, fixture, streams[0])}")
        weak = weak or bool(_told(found) or found.claims)
    return weak


def report_real(catalog: Catalog, slugs: Sequence[str], say: Callable[[str], None], progress: Progress) -> bool:
    """Say for each assignment which mutants of its solution get full points on real Spark and Kafka; whether there are any."""
    weak = False
    for answer_key in gradable(catalog, slugs, progress):
        slug, named = answer_key.assignment.slug, named_as_same(answer_key)
        found = [each for each in real_strength.survivors(answer_key, progress) if each.id not in named.get(each.function, {})]
        for mutant in found:
            say(f"{slug}: no check catches {mutant.id}")
        say(f"{slug}: {_count(len(found), 'mutant')} of the solution that no check catches")
        weak = weak or bool(found)
    return weak


def problems(answer_key: AnswerKey, variant: Variant) -> list[str]:
    """The wrong programs that get full points although something tells them, and the claims that the data do not show, a line each."""
    slug, found = answer_key.assignment.slug, findings(answer_key, [variant])
    weak = [
        f"{slug}: no check of {each.survivor.function} catches {each.survivor.wrong.id}: {each.survivor.wrong.says}"
        f" (`autograder strength {slug}`)"
        for each in _told(found)
    ]
    return weak + [claims.to_line(slug, claim) for claim, _ in found.claims]


def drawn(assignment: Assignment, students: int) -> list[Variant]:
    """The variants of so many students; the defaults alone where there are none."""
    return [variants.draw(_SECRET, assignment, str(number)) for number in range(students)] or [Variant(assignment.defaults())]


def _told(found: Findings) -> list[Weakness]:
    return [each for each in found.weak if each.told]


def _lines(slug: str, found: Findings, *, tell_variant: bool) -> Iterator[str]:
    told = _told(found)
    for each in told:
        yield _text(each) + tell_variant * f"\n    in the variant {values_text(each.variant.parameters)}"
    same = len(found.weak) - len(told)
    yield f"{slug}: {_count(len(told), 'wrong program')} that a stream tells; {same} more are the same on all streams that were tried"
    for claim, variant in found.claims:
        yield claims.to_line(slug, claim) + tell_variant * f"\n    in the variant {values_text(variant.parameters)}"
    yield f"{slug}: {_count(len(found.claims), 'claim')} that the data do not show"


def _written(catalog: Catalog, slug: str, fixture: str, survivor: Survivor) -> str:
    assert survivor.stream is not None
    path = catalog.fixture_folder(slug) / "hidden" / f"{fixture}.jsonl"
    write_text(path, to_fixture(survivor.stream, survivor.wrong.says))
    return str(path)


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'s' * (number != 1)}"


def _text(found: Weakness) -> str:
    survivor = found.survivor
    lines = [f"{survivor.function}: no check catches {survivor.wrong.id}: {survivor.wrong.says}"]
    if survivor.stream:
        lines += [f"    {line}" for line in to_fixture(survivor.stream, survivor.wrong.says).splitlines()]
    else:
        lines.append(f"    {found.told}")
    return "\n".join(lines)
