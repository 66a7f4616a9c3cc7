"""Name the mistakes of a submission, function by function, once all of its checks are judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.content.wrong_programs import Example, as_called, by_rule, of_author
from autograder.grading.answer_key import AnswerKey
from autograder.judge.diagnose import Case, Diagnosis, emitting_as, failing_as
from autograder.model import CheckReport, Function, Value


@dataclass(frozen=True)
class Judged:
    """A check with its cases, those on which it failed among them."""

    function: Function
    cases: Sequence[Case]
    failed: Sequence[Case]


def diagnosed(answer_key: AnswerKey, reports: Iterable[CheckReport], judged: Mapping[str, Judged]) -> list[CheckReport]:
    """The reports, with the mistake that explains what was observed where there is one.

    Of an output it must explain all that the function has emitted, in visible checks and hidden ones.
    """
    functions = {each.function.name: each.function for each in judged.values() if each.failed}
    found = {name: _emitting(answer_key, function, judged.values()) for name, function in functions.items()}
    return [_with_mistake(answer_key, report, judged[report.id], found) if report.id in judged else report for report in reports]


def _emitting(answer_key: AnswerKey, function: Function, judged: Iterable[Judged]) -> Diagnosis | None:
    cases = [_called(function, case) for each in judged if each.function == function for case in each.cases]
    if not any(case.observation.failure is None for case in cases):
        return None
    authors, released = of_author(answer_key.expectation, function), answer_key.expectation.released
    example = Example(cases[0].fixture, _values(function, cases[0]))
    rules = by_rule(answer_key.assignment, answer_key.expectation, function, example) if released is None else []
    return emitting_as(function, authors, rules, cases)


def _with_mistake(answer_key: AnswerKey, report: CheckReport, judged: Judged, found: Mapping[str, Diagnosis | None]) -> CheckReport:
    if not judged.failed:
        return report
    mistakes = answer_key.expectation.mistakes.get(judged.function.name, ())
    ended = [case for case in judged.failed if case.observation.failure is None]
    diagnosis = failing_as(mistakes, judged.failed) or (found[judged.function.name] if ended else None)
    if diagnosis is None:
        return report
    says = diagnosis.sentence(_values(judged.function, (ended or judged.failed)[0]))
    return replace(report, hint="", mistake=diagnosis.id, diagnosis=says)  # the mistake says more, and a hint may say otherwise


def _called(function: Function, case: Case) -> Case:
    """A case with the values that the function was called with, where the fixture's steps name others."""
    example = as_called(Example(case.fixture, _values(function, case)))
    return replace(case, fixture=example.fixture, parameters={**case.parameters, **example.values})


def _values(function: Function, case: Case) -> dict[str, Value]:
    return {name: case.parameters[name] for name in function.parameters}
