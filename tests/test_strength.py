"""Wrong programs made by rule: what no check catches is told, with a stream that tells it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.authoring import strength
from autograder.authoring.trials import findings
from autograder.cli.main import main
from autograder.content.catalog import Catalog
from autograder.content.fixtures import read_fixture
from autograder.content.mistakes import Emits
from autograder.content.wrong_programs import Example, WrongProgram, wrong_programs
from autograder.grading.answer_key import AnswerKey
from autograder.model import Batch, Fixture, KitError, StepOutput, Value, Variant
from tests.conftest import HERE

CATALOG = Catalog(HERE.parent)


@pytest.fixture(scope="module")
def departures() -> AnswerKey:
    """An assignment with a query."""
    return AnswerKey.load(CATALOG, "watermarks")


def wrongs(answer_key: AnswerKey, name: str) -> dict[str, WrongProgram]:
    """The wrong programs of a function."""
    case = strength.cases(answer_key, name, answer_key.assignment.defaults())[0]
    example, function = Example(case.fixture, case.values), answer_key.assignment.functions[name]
    return {wrong.id: wrong for wrong in wrong_programs(answer_key.assignment, answer_key.expectation, function, example)}


def test_wrong_programs_come_from_query_parameters_rows_and_output(departures: AnswerKey) -> None:
    """One of each family, beside those of the author."""
    assert set(wrongs(departures, "departures_per_window")) >= {
        "delay_1_ms_more", "delay_0", "watermark_on_departed_at", "no_watermark", "window_on_departed_at", "without_key_carrier",
        "by_flight_too", "sliding", "shifted_1_min", "holds_its_end", "distinct_flight", "mode_update",
        "window_hard_coded", "delay_and_window_swapped", "delay_at_most_default",
        "departures_carrier_in_lower_case", "departures_scheduled_at_in_minutes", "departures_distinct", "new_at_restart",
        "ends_swapped", "first_20_rows", "departures_above_1", "delay_doubled", "late_filtered",
    }  # fmt: skip
    assert set(wrongs(departures, "busy_periods")) >= {"gap_1_ms_less", "tumbling"}
    assert set(wrongs(departures, "unique_departures")) >= {"forgets_otherwise", "without_key_flight", "scheduled_at_in_the_key"}


def test_without_a_fixture_its_wrong_programs_survive_and_the_stream_found_tells_them(departures: AnswerKey) -> None:
    """A check less: the delay may be a millisecond off; what is found is as small as it can be."""
    name = "departures_per_window"
    fewer = tuple(check for check in departures.assignment.checks if check.id == "windows_right")
    functions = {name: departures.assignment.functions[name]}
    weak = replace(departures, assignment=replace(departures.assignment, functions=functions, checks=fewer))
    survivors = [each.survivor for each in findings(weak, [Variant(departures.assignment.defaults())]).weak]
    found = {(each.function, each.wrong.id): each for each in survivors}

    survivor = found["departures_per_window", "delay_1_ms_more"]

    assert survivor.stream
    assert 1 <= len(survivor.stream.steps) <= 4
    assert ("departures_per_window", "without_key_carrier") not in found


def test_what_a_wrong_program_cannot_do_is_caught(departures: AnswerKey) -> None:
    """Spark refuses append mode without a watermark, so such a program fails in its first step."""
    case = strength.cases(departures, "departures_per_window", departures.assignment.defaults())[0]
    function = departures.assignment.functions["departures_per_window"]

    assert strength.is_caught(function, case, wrongs(departures, function.name)["no_watermark"].emits)
    assert not strength.is_caught(function, case, departures.expectation.emits["departures_per_window"])


def test_the_command_tells_and_writes_a_fixture(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it writes is a fixture of the assignment."""
    monkeypatch.setenv("AUTOGRADER_ROOT", str(kit))

    done = CliRunner().invoke(main, ["strength", "toy", "--write", "found_by_rule"])

    assert done.exit_code == 1
    assert "counts: no check catches least_hard_coded: The value of least is written into the code: 1." in done.output
    assert "toy: " in done.output
    path = kit / "fixtures/toy/hidden/found_by_rule.jsonl"
    assert read_fixture(path, {"least": 1}).hidden
    assert json.loads(path.read_text().splitlines()[0])["says"]


@pytest.mark.parametrize(
    ("arguments", "says"), [(["--write", "a-b"], "--write wants one assignment"), (["--students", "-1"], "--students")]
)
def test_what_cannot_be_asked_is_refused(arguments: list[str], says: str) -> None:
    """Before anything is tried."""
    done = CliRunner().invoke(main, ["strength", "watermarks", *arguments])

    assert done.exit_code == 2
    assert says in done.output


def test_what_is_the_same_by_the_rules_has_a_reason(kit: Path) -> None:
    """A table for each function; anything else is refused with the file's name."""
    answer_key = AnswerKey.load(Catalog(kit), "toy")
    path = kit / "solutions/toy/equivalent.toml"
    path.write_text('[counts]\nleast_hard_coded = "It is never asked."\n')

    assert strength.named_as_same(answer_key) == {"counts": {"least_hard_coded": "It is never asked."}}
    assert "least_hard_coded" not in {each.survivor.wrong.id for each in findings(answer_key, [Variant({"least": 1})]).weak}
    path.write_text("counts = 3\n")
    with pytest.raises(KitError, match=r"equivalent\.toml"):
        strength.named_as_same(answer_key)


def test_two_mistakes_that_hide_each_other_are_tried(departures: AnswerKey) -> None:
    """Each is caught alone; a check that sees neither of both would be told."""
    cases = strength.cases(departures, "departures_per_window", departures.assignment.defaults())
    case = next(case for case in cases if case.check.compare == "rows")
    function = departures.assignment.functions["departures_per_window"]
    found = wrongs(departures, function.name)
    later, sooner = (_shifted(found["shifted_1_min"], by) for by in (1, -1))

    assert strength.missed(function, [case], [later, sooner]) == []
    assert [wrong.id for wrong in strength.missed(function, [case], [later, sooner], in_pairs=True)] == ["by_1+by_-1"]


def _shifted(like: WrongProgram, by: int) -> WrongProgram:
    """The ends of all windows so many microseconds later."""

    def spoil(right: Emits) -> Emits:
        def emits(fixture: Fixture, **values: Value) -> tuple[StepOutput, ...]:
            return tuple(StepOutput(tuple(_moved(batch, by) for batch in step.batches)) for step in right(fixture, **values))

        return emits

    key = AnswerKey.load(CATALOG, "watermarks")
    return replace(
        like, id=f"by_{by}", touches=frozenset({str(by)}), emits=spoil(key.expectation.emits["departures_per_window"]), spoil=spoil
    )


def _moved(batch: Batch, by: int) -> Batch:
    return replace(batch, rows=tuple({**row, "window_end": row["window_end"] + by} for row in batch.rows))
