"""What ``autograder strength`` prints and writes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from autograder.authoring.strength import Survivor, survivors, to_fixture
from autograder.content import variants
from autograder.content.catalog import Catalog
from autograder.content.files import write_text
from autograder.grading.answer_key import AnswerKey
from autograder.model import Assignment, KitError, Variant
from autograder.model.assignment import IDENTIFIER

#: Students whose variants are tried are no course's.
_SECRET = b"autograder strength"


def report(catalog: Catalog, slugs: Sequence[str], students: int, fixture: str | None, say: Callable[[str], None]) -> bool:
    """Say for each assignment which wrong programs survive; whether there are any.

    Raises KitError for a name that no fixture can have, and for several assignments when one fixture is to be written.
    """
    if fixture is not None and (len(slugs) != 1 or not re.fullmatch(IDENTIFIER, fixture)):
        raise KitError("--write wants one assignment and a name such as equal_times.", "Name one SLUG; letters, digits and _ alone.")
    weak = False
    for slug in slugs or catalog.slugs():
        answer_key = AnswerKey.load(catalog, slug).complete()
        found = list(_found(answer_key, students))
        told = [each for each in found if each.stream]
        for each in told:
            say(_text(each))
        say(f"{slug}: {_count(len(told))} that a stream tells; {len(found) - len(told)} more are the same on all streams that were tried")
        if fixture is not None and told and told[0].stream:
            path = catalog.fixture_folder(slug) / "hidden" / f"{fixture}.jsonl"
            write_text(path, to_fixture(told[0].stream, told[0].wrong.says))
            say(f"wrote {path}")
        weak = weak or bool(told)
    return weak


def _count(number: int) -> str:
    return f"{number or 'no'} wrong program{'s' * (number != 1)}"


def _found(answer_key: AnswerKey, students: int) -> Iterator[Survivor]:
    """Of all variants, each wrong program once."""
    seen: set[tuple[str, str]] = set()
    for variant in _variants(answer_key.assignment, students):
        for each in survivors(answer_key, variant):
            if (each.function, each.wrong.id) not in seen:
                seen.add((each.function, each.wrong.id))
                yield each


def _variants(assignment: Assignment, students: int) -> Iterator[Variant]:
    if not students:
        yield Variant(assignment.defaults())
    for number in range(students):
        yield variants.draw(_SECRET, assignment, str(number))


def _text(found: Survivor) -> str:
    lines = [f"{found.function}: no check catches {found.wrong.id}: {found.wrong.says}"]
    if found.stream:
        lines += [f"    {line}" for line in to_fixture(found.stream, found.wrong.says).splitlines()]
    return "\n".join(lines)
