"""What checks and fixtures claim and their data do not show: so a wrong program may pass although a sentence says that it cannot.

Each rule looks at a function's cases, that is its checks on their fixtures. What some cases show, more cases show too; but a crash or a
restart, once there is one, asks for more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograder import engines, oracle
from autograder.authoring import fixture_data as data
from autograder.authoring.phrases import IN_OUTPUT, IN_STREAM, Output, claimed, crashes, crashes_at_once
from autograder.authoring.strength import SAME, Case, named_as_same
from autograder.content.fixtures import draws
from autograder.content.wrong_programs import MARKED, Example, length, queries
from autograder.grading.answer_key import AnswerKey
from autograder.model import Call, Function, Join, Restart, Value


def varied(function: Function) -> list[str]:
    """The parameters of which checks must give more than one value: names on brokers are other ones in each replay."""
    on_brokers = engines.engine(function.engine).needs_brokers
    return [name for name in function.parameters if not (on_brokers and name in MARKED)]


@dataclass(frozen=True)
class Claim:
    """A claim that the data do not show: of which function, by which name an exception knows it, and what to do next."""

    function: str
    id: str
    says: str


@dataclass(frozen=True)
class Shown:
    """All that a rule sees: a function, its cases, the student's own values, and which fixtures draw their rows."""

    answer_key: AnswerKey
    function: Function
    cases: Sequence[Case]
    own: Mapping[str, Value]
    drawn: frozenset[str]

    @property
    def telling(self) -> list[Case]:
        """The cases of checks that compare what comes out; the others let any rows pass."""
        return [case for case in self.cases if case.check.compare in {"rows", "state"}]


def to_line(slug: str, claim: Claim) -> str:
    """A claim for a person, with the assignment that it is about."""
    return f"{slug}: {claim.says} (or name {claim.id} under [{claim.function}] in solutions/{slug}/{SAME}, with the reason)"


def unshown_by(answer_key: AnswerKey, name: str, found: Sequence[Case], own: Mapping[str, Value]) -> list[Claim]:
    """What some cases of one function do not show; ``own`` are the values that the student has."""
    catalog, slug = answer_key.catalog, answer_key.assignment.slug
    names = {case.fixture.name for case in found}
    drawn = frozenset(fixture for fixture in names if draws(catalog.fixture(slug, fixture)))
    shown = Shown(answer_key, answer_key.assignment.functions[name], found, own, drawn)
    named = named_as_same(answer_key).get(name, {})
    return [Claim(name, id_, says) for rule in _RULES for id_, says in rule(shown) if id_ not in named]


# Parameters and columns.


def _one_value(shown: Shown) -> Iterator[tuple[str, str]]:
    """A parameter that is the same in every call: written into the code it passes."""
    name = shown.function.name
    for parameter in varied(shown.function) if shown.telling else ():
        called = {repr(value) for case in shown.telling for value in _called_with(case, parameter)}
        if len(called) < 2:  # noqa: PLR2004  # one value
            what = f"{name} is only ever called with {parameter} = {', '.join(called)} where rows are compared"
            yield f"one_{parameter}", f"{what}: give a check another one in its parameters"


def _called_with(case: Case, parameter: str) -> Iterator[Value]:
    programs = data.programs(case.fixture)
    yield from (step.parameters.get(parameter, case.values[parameter]) for step in programs)
    if not programs:
        yield case.values[parameter]


def _column_alike(shown: Shown) -> Iterator[tuple[str, str]]:
    """A column all of whose cells are alike: a program may leave it out, or write it down."""
    for (source, column), cells in data.by_column(case.fixture for case in shown.telling).items():
        if len(cells) == 1:
            where = f"{shown.function.name}: {column} of {source} is {min(cells)} in all rows of {_fixtures(shown.telling)}"
            yield f"{column}_alike", f"{where}: add rows with another one in a new fixture"


def _result_alike(shown: Shown) -> Iterator[tuple[str, str]]:
    """A column of the result with one value in all that is expected: a constant passes."""
    rows = [row for case in shown.telling for step in case.expected for row in step.rows]
    for column in shown.function.columns:
        values = {repr(row.get(column)) for row in rows}
        if len(values) == 1:
            where = f"{shown.function.name}: {column} of the result is always {min(values)}"
            yield f"result_{column}_alike", f"{where}: add a fixture on which it is something else ({_fixtures(shown.telling)} have none)"


def _answer_alike(shown: Shown) -> Iterator[tuple[str, str]]:
    """A program on brokers whose calls all return the same."""
    answers = {str(fact["is"]) for case in shown.telling for fact in _answers(case)}
    returned = [answer for answer in answers if answer.startswith("returned")]
    if len(returned) == 1:
        yield "answer_alike", f"{shown.function.name}: every call {returned[0]}: add a fixture in which it returns something else"


def _answers(case: Case) -> Iterator[dict[str, object]]:
    for step, output in zip(case.fixture.steps, case.expected, strict=False):
        if isinstance(step, Call):
            yield from output.rows


def _fixtures(found: Iterable[Case]) -> str:
    return ", ".join(dict.fromkeys(case.fixture.name for case in found))


# Steps.


def _no_leap(shown: Shown) -> Iterator[tuple[str, str]]:
    """Event times that never go further ahead at once than a length of time that is a parameter."""
    lengths = [name for name in shown.function.parameters if any(length(case.values[name]) is not None for case in shown.telling)]
    columns = _event_columns(shown) if lengths else []
    for parameter in lengths:
        leaps = [(case, data.longest_leap(data.times(case.fixture, column))) for case in shown.telling for column in columns]
        if leaps and all(leap <= (length(case.values[parameter]) or 0) for case, leap in leaps):
            what = f"{shown.function.name}: no step of {_fixtures(shown.telling)} is more than one {parameter} ahead of those before it"
            yield f"{parameter}_never_passed", f'{what}: add a fixture with a row at "@ + 2*{parameter}" or later'


def _event_columns(shown: Shown) -> list[str]:
    """The columns whose times the right program's watermark or windows follow; none where it has no query."""
    right = shown.answer_key.expectation.emits[shown.function.name]
    seen = [query for case in shown.telling[:1] for query in queries(right, Example(case.fixture, case.values))]
    followed = {column for query in seen for operator in query.operators for column in _follows(operator)}
    return [name for case in shown.telling[:1] for name in data.time_columns(case.fixture) if name in followed]


def _follows(operator: object) -> list[str]:
    match operator:
        case oracle.Watermark(column=column) | oracle.Aggregate(window=oracle.Window(column=column) | oracle.Session(column=column)):
            return [column]
    return []


def _no_crash_at_once(shown: Shown) -> Iterator[tuple[str, str]]:
    """Crashes, but none of the first batch: it alone has nothing behind it."""
    crashing = [case for case in shown.telling if crashes(case.fixture)]
    if crashing and not any(crashes_at_once(case.fixture) for case in crashing):
        what = f"{shown.function.name}: no crash in {_fixtures(crashing)} comes right after the first batch"
        yield "no_crash_at_once", f'{what}: add a fixture whose second step is {{"crash": true}}'


def _no_end_at_once(shown: Shown) -> Iterator[tuple[str, str]]:
    """Handlers that end their program on brokers, but none at its first record: there is nothing committed before it."""
    ending = [(case, _ends_at(program)) for case in shown.telling for program in data.programs(case.fixture)]
    ending = [(case, at) for case, at in ending if at]
    if ending and all(at > 1 for _, at in ending):
        what = f"{shown.function.name}: no program in {_fixtures(case for case, _ in ending)} ends at its first record"
        yield "no_end_at_once", f'{what}: add a fixture with "handle": {{"dies_while": 1}}'


def _ends_at(program: Call | Join) -> int:
    return program.handle.raises_at or program.handle.dies_while or program.handle.dies_after


def _store_untried(shown: Shown) -> Iterator[tuple[str, str]]:
    """A table that the program itself keeps, and that never outlives it, or never meets a batch a second time."""
    kinds = {step.crash for case in shown.telling for step in case.fixture.steps if isinstance(step, Restart)}
    for crash in sorted({False, True} - kinds) if "store" in shown.function.provides else ():
        word = "crash" if crash else "restart"
        yield f"no_{word}", f'{shown.function.name} keeps a table, and no fixture has {{"{word}": true}}: add one'


def _untold_restart(shown: Shown) -> Iterator[tuple[str, str]]:
    """Restarts and crashes in hidden checks alone, of which no sentence of the function speaks."""
    says = " ".join(case.check.says for case in shown.cases)
    told = {phrase.id for phrase, _ in claimed(says, IN_STREAM)} & {"crash", "restart", "dies", "first_batch_again"}
    restarting = [case for case in shown.cases if any(isinstance(step, Restart) for step in case.fixture.steps)]
    if restarting and not told and all(case.check.hidden for case in restarting):
        checks = ", ".join(dict.fromkeys(case.check.id for case in restarting))
        what = f"{shown.function.name} is started again in hidden fixtures alone, of {checks}"
        yield "untold_restart", f"{what}: say so in the check, or show it in a visible fixture"


# Sentences.


def _unshown_words(shown: Shown) -> Iterator[tuple[str, str]]:
    """Words of a check that hold on none of its fixtures."""
    for check in dict.fromkeys(case.check.id for case in shown.cases):
        mine = [case for case in shown.cases if case.check.id == check]
        for phrase, words in claimed(mine[0].check.says, (*IN_STREAM, *IN_OUTPUT)):
            if not any(phrase.shown_by(case.fixture, Output(shown.function, case.expected)) for case in mine):
                what = f'check {check} says "{words}", and {_fixtures(mine)} have none'
                yield f"{check}_{phrase.id}", f"{what}: add a fixture with {phrase.wants}, or change the sentence"


def _unshown_words_of_fixtures(shown: Shown) -> Iterator[tuple[str, str]]:
    """Words of a fixture that its rows do not hold. One that draws its rows says what they are drawn from."""
    for name in dict.fromkeys(case.fixture.name for case in shown.cases if case.fixture.name not in shown.drawn):
        mine = [case.fixture for case in shown.cases if case.fixture.name == name]
        for phrase, words in claimed(mine[0].says, IN_STREAM):
            if not any(map(phrase.shown_by, mine)):
                what = f'fixture {name} says "{words}", and has none'
                yield f"{name}_{phrase.id}", f"{what}: a fixture with {phrase.wants} in its place, or change the sentence"


def _follows_nothing(shown: Shown) -> Iterator[tuple[str, str]]:
    """A check that says it follows the parameters, and is called with none but the student's own."""
    following = [case for case in shown.cases if "follows its parameter" in case.check.says]
    for check in dict.fromkeys(case.check.id for case in following):
        mine = [case for case in following if case.check.id == check]
        calls = [(name, value) for case in mine for name in shown.function.parameters for value in _called_with(case, name)]
        if all(value == shown.own[name] for name, value in calls):
            what = f"check {check} says that {shown.function.name} follows its parameters, and calls it with the student's own"
            yield f"{check}_follows", f"{what}: give it others, which are no choices"


_RULES: tuple[Callable[[Shown], Iterator[tuple[str, str]]], ...] = (
    _one_value, _column_alike, _result_alike, _answer_alike, _no_leap, _no_crash_at_once, _no_end_at_once, _store_untried, _untold_restart,
    _unshown_words, _unshown_words_of_fixtures, _follows_nothing,
)  # fmt: skip
