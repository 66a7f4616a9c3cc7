"""What is said of typical mistakes, in one page that a person can read in one go."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring.proof import rejected_header, touched
from autograder.content import expected
from autograder.content.catalog import Catalog
from autograder.engines.recorded import Recorded
from autograder.engines.runtime import Runtime
from autograder.grading.answer_key import AnswerKey
from autograder.grading.cleaning import cleaned
from autograder.grading.session import Session
from autograder.judge.advice import explain
from autograder.model import CheckReport, Failure, Observation, Outcome, Report
from autograder.submission.read import Submission
from tests.conftest import HERE

CATALOG = Catalog(HERE.parent)
SLUGS = CATALOG.slugs()
#: Failures as programs got them from Spark 4.3.0, Py4J and SQLite: what was wrong, in which function, and on which fixture.
FAILURES = [json.loads(line) for line in (HERE / "failures.jsonl").read_text(encoding="utf-8").splitlines()]
_HEAD = """<!-- Written by `pytest tests/test_typical_mistakes.py --update-goldens`. -->
# Typical mistakes, and what is said of each

Of each rejected file the first check that fails, and others of which something else is said: the outcome and what happened, *what it
looks like* (the diagnosis), → one line to try. Hidden checks are told as an instructor reads them.
"""


def test_what_is_said_of_typical_mistakes(
    recorded: Callable[..., Recorded], runtime: Runtime, tmp_path: Path, golden: Callable[[str, str], None]
) -> None:
    """Outcome, message, diagnosis and hint of every rejected file, and of errors that others made."""
    lines = [_HEAD]
    for slug in SLUGS:
        lines.append(f"## {slug}\n")
        lines += _rejected(slug, _from_records(recorded(slug, runtime)), tmp_path)
    lines.append("## Errors\n\nWhat programs got from Spark, Py4J and SQLite, and what is said of it.\n")
    lines += map(_failure, FAILURES)
    text = "\n".join(lines) + "\n"

    assert text.count("\n**") >= 60
    golden("typical_mistakes.md", text)


_BY_RULE = """<!-- Written by `pytest tests/test_typical_mistakes.py --update-goldens`. -->
# What rules name

Of each rejected file whose mistake its author has written down: what is said where that entry is taken away.
"""


def test_what_rules_name_where_the_author_names_nothing(
    recorded: Callable[..., Recorded], runtime: Runtime, tmp_path: Path, golden: Callable[[str, str], None]
) -> None:
    """Read the page: each sentence must be true of its program. None is better than a wrong one."""
    lines, named, of = [_BY_RULE], 0, 0
    for slug in SLUGS:
        lines.append(f"## {slug}\n")
        for path, answer_key in _without_entry(slug):
            report = _graded(answer_key, path, _from_records(recorded(slug, runtime)), tmp_path)
            found = list(dict.fromkeys(check.diagnosis for check in report.checks if check.diagnosis))
            lines.append(f"- {path.stem}: {' / '.join(found) or '–'}")
            named, of = named + bool(found), of + 1
        lines.append("")
    golden("named_by_rule.md", "\n".join([*lines, f"{named} of {of}."]) + "\n")


def _without_entry(slug: str) -> Iterator[tuple[Path, AnswerKey]]:
    """The rejected files of an assignment whose mistake has a program, with an answer key that does not have the mistake."""
    answer_key = AnswerKey.load(CATALOG, slug)
    mistakes = expected.load(CATALOG.expectation(slug)).mistakes
    written = {mistake.id for found in mistakes.values() for mistake in found if mistake.emits}
    for path in sorted((CATALOG.solutions(slug) / "rejected").glob("*.py")):
        header = rejected_header(path)
        if header and header[1] in written:
            rest = {name: tuple(each for each in found if each.id != header[1]) for name, found in answer_key.expectation.mistakes.items()}
            yield path, replace(answer_key, expectation=replace(answer_key.expectation, mistakes=rest))


def _from_records(others: Recorded) -> Recorded:
    """The same records without the part that is replayed although there is one: what is told decides no outcome."""
    found = Recorded(others.replays, others.records)
    found.asked, found.differing = others.asked, others.differing
    return found


def _rejected(slug: str, observer: Recorded, folder: Path) -> Iterator[str]:
    answer_key = AnswerKey.load(CATALOG, slug)
    for path in sorted((CATALOG.solutions(slug) / "rejected").glob("*.py")):
        header = rejected_header(path)
        assert header is not None
        report = _graded(answer_key, path, observer, folder)
        yield f"**{path.stem}**: {header[2]}\n"
        yield from _checks([check for check in report.checks if check.outcome not in {Outcome.PASSED, Outcome.SKIPPED}])


def _graded(answer_key: AnswerKey, path: Path, observer: Recorded, folder: Path) -> Report:
    """A rejected file, put behind the solution, on the checks that it may change."""
    text, solution = path.read_text(encoding="utf-8"), CATALOG.solution(answer_key.assignment.slug).read_text(encoding="utf-8")
    (folder / path.name).write_text(f"{solution}\n\n{text}", encoding="utf-8")
    checks = [check for check in answer_key.assignment.checks if check.function in touched(answer_key, text)]
    return Session(answer_key).grade(Submission.read(folder / path.name), checks, observer=observer).report


def _checks(checks: list[CheckReport]) -> Iterator[str]:
    """A line for each of those of which something else is said."""
    alike: dict[tuple[str, str, str], list[CheckReport]] = {}
    for check in checks:
        alike.setdefault((check.outcome, check.diagnosis, check.hint), []).append(check)
    for found in alike.values():
        first, hidden = found[0], " (hidden)" * found[0].hidden
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        yield f"- {first.id}{hidden} {first.outcome.value}: {_told(first.message, first.diagnosis, first.hint)}{more}"
    yield ""


def _told(message: str, diagnosis: str, hint: str) -> str:
    return " ".join([message, *([f"*{diagnosis}*"] if diagnosis else []), *([f"→ {hint}"] if hint else [])])


def _failure(observed: dict[str, Any]) -> str:
    answer_key = AnswerKey.load(CATALOG, observed["slug"])
    found = cleaned(Observation(failure=Failure(**observed["failure"]))).failure
    check = next(each for each in answer_key.assignment.checks if each.id == observed["check"])
    fixtures = answer_key.fixtures(check, answer_key.assignment.defaults())
    assert found is not None
    fixture = next(each for each in fixtures if each.name == observed["fixture"])
    outcome, message, hint = explain(answer_key.function(check), found, check, fixture)
    return f"**{observed['says']}**\n\n- {check.function} {outcome.value}: {_told(message, '', hint)}\n"


@pytest.mark.parametrize("failure", [Failure(**each["failure"]) for each in FAILURES], ids=[each["says"] for each in FAILURES])
def test_an_error_is_cut_to_its_cause(failure: Failure) -> None:
    """Nothing of what Spark, the JVM and Py4J put around it is left, and it is short."""
    found = cleaned(Observation(failure=failure)).failure

    assert found is not None
    noise = ("SQLSTATE", "Identifier:", "An error occurred while calling", "raised by Python", "_get_object_id", "+- ", "~", "\n", "o94.")
    assert not [word for word in noise if word in found.text]
    assert len(found.text) <= 300
    assert bool(found.text) == bool(failure.text)
    assert cleaned(Observation(failure=found)).failure == found, "what is cut stays as it is"
