"""What checks and fixtures claim, their data show; and no student's values or draws hide a mistake."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from autograder.authoring import claims, proof, strength, strength_report, trials
from autograder.authoring.phrases import IN_OUTPUT, IN_STREAM, Output, claimed
from autograder.cli.main import main
from autograder.content.catalog import Catalog
from autograder.content.fixtures import draws, read_fixture
from autograder.grading.answer_key import AnswerKey
from autograder.model import Batch, Function, StepOutput, Variant
from tests.conftest import HERE, SOAK

CATALOG = Catalog(HERE.parent)
STUDENTS = 1000 if SOAK else 10  # a thousand in `make soak`
VIEWS = {"sources": {"views": "at TIMESTAMP, page STRING, users INT"}, "drive": "step"}
LINES = {"sources": {"lines": "STRING"}, "drive": "batch"}
KAFKA = {"drive": "kafka"}


def rewrite(path: Path, *changes: tuple[str, str]) -> None:
    """Change a file, each text once."""
    text = path.read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    path.write_text(text)


def unshown(answer_key: AnswerKey, variant: Variant) -> list[claims.Claim]:
    """Of all functions what a variant's data do not show."""
    key = replace(answer_key, seeds=variant.seeds)
    functions = answer_key.assignment.functions
    found = {name: strength.cases(key, name, variant.parameters) for name in functions}
    return [claim for name in functions for claim in claims.unshown_by(key, name, found[name], variant.parameters)]


def problems(answer_key: AnswerKey, variant: Variant) -> list[str]:
    """The same, a line each."""
    return [claims.to_line(answer_key.assignment.slug, claim) for claim in unshown(answer_key, variant)]


def ids(answer_key: AnswerKey, function: str) -> set[str]:
    """The claims of a function, by what an exception calls them."""
    variant = Variant(answer_key.assignment.defaults())
    return {claim.id for claim in unshown(answer_key, variant) if claim.function == function}


def toy_ids(kit: Path) -> set[str]:
    """The claims of the toy's counts."""
    return ids(AnswerKey.load(Catalog(kit), "toy"), "counts")


def narrowed(slug: str, function: str, **fixtures: Sequence[str]) -> AnswerKey:
    """An assignment of this repository with some checks of a function alone, on some fixtures."""
    answer_key = AnswerKey.load(CATALOG, slug)
    checks = [
        replace(check, fixtures=tuple(fixtures[check.id]), parameters={}) for check in answer_key.assignment.checks if check.id in fixtures
    ]
    functions = {function: answer_key.assignment.functions[function]}
    return replace(answer_key, assignment=replace(answer_key.assignment, functions=functions, checks=tuple(checks)))


@pytest.mark.parametrize("slug", CATALOG.slugs())
def test_an_assignment_claims_what_its_data_show(slug: str) -> None:
    """Of all that this repository holds."""
    answer_key = AnswerKey.load(CATALOG, slug)

    assert problems(answer_key, Variant(answer_key.assignment.defaults())) == []


def test_a_line_says_what_where_and_what_to_do(toy: AnswerKey) -> None:
    """The toy is weak: these two, and no more."""
    first, second = problems(toy, Variant({"least": 1}))

    assert first == (
        "toy: counts is only ever called with least = 1 where rows are compared: give a check another one in its parameters"
        " (or name one_least under [counts] in solutions/toy/equivalent.toml, with the reason)"
    )
    assert second.startswith("toy: counts is started again in hidden fixtures alone, of counts_hidden: say so in the check, or show it")


def test_what_is_shown_is_no_problem(kit: Path) -> None:
    """The same toy, made strong: another value in a check that compares rows, and a sentence that speaks of the restart."""
    manifest = kit / "assignments/toy/assignment.toml"
    rewrite(
        manifest,
        ("counts counts when nobody looks", "counts goes on after a restart"),
        ('fixtures = ["secret"]\n', 'fixtures = ["secret"]\nparameters = { least = 2 }\n'),
    )

    assert toy_ids(kit) == set()
    rewrite(manifest, ("points = 3\n", 'points = 3\ncompare = "runs"\n'))
    assert toy_ids(kit) == {"one_least"}


def test_an_exception_has_a_reason(kit: Path) -> None:
    """Under the function, by the name that the line says."""
    (kit / "solutions/toy/equivalent.toml").write_text('[counts]\none_least = "There is one."\nuntold_restart = "It is in the handout."\n')

    assert toy_ids(kit) == set()


def test_a_column_all_of_whose_cells_are_alike_is_told(kit: Path) -> None:
    """Of a source and of the result: a program may write the value down."""
    rewrite(kit / "fixtures/toy/visible/three_steps.jsonl", ('"a"], ["@ + 1 ms", "b"]', '"a"], ["@ + 1 ms", "a"]'), ('"c"', '"a"'))
    rewrite(kit / "fixtures/toy/hidden/secret.jsonl", ('"zanzibar"], ["@", "zanzibar"]', '"a"], ["@", "a"]'), ('"zanzibar"', '"a"'))
    rewrite(kit / "fixtures/toy/visible/three_batches.jsonl", ('["a", "a"]', '["a"]'))
    answer_key = AnswerKey.load(Catalog(kit), "toy")

    assert {"page_alike", "result_page_alike"} <= ids(answer_key, "counts")
    assert ids(answer_key, "words") == {"result_count_alike"}


def test_a_crash_is_one_of_the_first_batch_too(kit: Path) -> None:
    """A batch with nothing behind it is another case than a later one."""
    path = kit / "fixtures/toy/hidden/secret.jsonl"
    header, first, _, last = path.read_text().splitlines()
    path.write_text("\n".join([header, first, last, '{"crash": true}']))
    assert "no_crash_at_once" in toy_ids(kit)

    path.write_text("\n".join([header, first, '{"crash": true}', last, '{"crash": true}']))
    assert "no_crash_at_once" not in toy_ids(kit)


def test_a_table_of_its_own_meets_a_restart_and_a_crash() -> None:
    """What a program itself keeps must outlive it."""
    assert {"no_crash", "no_restart"} <= ids(narrowed("output_modes", "upsert_counts", upsert_totals=["three_triggers"]), "upsert_counts")
    assert "no_crash" in ids(narrowed("output_modes", "upsert_counts", upsert_totals=["restarted"]), "upsert_counts")


def test_event_times_go_further_ahead_than_a_window_and_a_delay() -> None:
    """A fixture of a few minutes shows nothing of a quarter of an hour; one that leaps shows it."""
    found = ids(narrowed("watermarks", "departures_per_window", windows_right=["wide"]), "departures_per_window")
    assert {"window_never_passed"} <= found
    assert "delay_never_passed" in ids(narrowed("watermarks", "unique_departures", unique_right=["repeated"]), "unique_departures")
    assert not {"window_never_passed", "delay_never_passed"} & ids(
        narrowed("watermarks", "departures_per_window", windows_right=["wide", "late_outside"]), "departures_per_window"
    )


def test_programs_on_brokers_answer_differently_and_end_at_once() -> None:
    """Every call that returns 0 shows no number; a handler that ends later shows no first record. Names are others in each replay."""
    found = ids(narrowed("kafka_setup", "read_all", reads=["from_the_beginning"], handler_raises=["handler_raises"]), "read_all")

    assert {"answer_alike", "no_end_at_once"} <= found
    assert not {"one_topic", "one_group"} & found


def test_a_check_that_follows_parameters_is_called_with_others() -> None:
    """Than the student's own: with an expiry of 5, the check that asks for 5 shows nothing."""
    answer_key = AnswerKey.load(CATALOG, "dstream_word_count")

    found = unshown(answer_key, Variant({"expiry": 5}))

    assert [claim.id for claim in found] == ["other_expiry_follows"]


def test_words_of_a_sentence_are_looked_at(kit: Path) -> None:
    """Of a check and of a fixture; one that draws its rows says what they are drawn from."""
    rewrite(kit / "assignments/toy/assignment.toml", ("counts counts every page", "counts late views too"))
    path = kit / "fixtures/toy/visible/three_steps.jsonl"
    rewrite(path, ("a page comes again", "a page comes again after a crash"))
    assert toy_ids(kit) - toy_ids(HERE / "kit") == {"counts_right_late", "three_steps_crash"}

    columns = {"at": {"time": {"every": "1 s"}}, "page": {"choice": ["a"]}}
    draw = {"draw": {"source": "views", "seed": 1, "steps": 3, "rows": [1, 1], "columns": columns}}
    path.write_text("\n".join([*path.read_text().splitlines()[:3], json.dumps(draw)]))
    assert "three_steps_crash" not in toy_ids(kit)


def stream(folder: Path, header: dict[str, Any], *steps: dict[str, Any]) -> Any:
    """A made-up fixture."""
    path = folder / "made_up.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in [{"fixture": 1, "says": "made up", **header}, *steps]))
    return read_fixture(path, {})


def views(*rows: list[Any]) -> dict[str, Any]:
    return {"add": {"views": list(rows)}}


def lines(*texts: str) -> dict[str, Any]:
    return {"add": {"lines": list(texts)}}


def records(*partitions: int, **others: Any) -> dict[str, Any]:
    return {"records": [{"key": "a", "value": "1", "partition": partition, **others} for partition in partitions]}


PLAIN = views(["@", "a", 1])
TOPIC = {"topic": {"partitions": 2}}
CALL: dict[str, Any] = {"call": {}}


@pytest.mark.parametrize(
    ("says", "header", "with_it", "without"),
    [
        ("also below 0", VIEWS, [views(["@", "a", -1])], [views(["@", "-a", 0])]),
        ("an empty batch", LINES, [lines("a"), lines()], [lines("a"), lines("")]),
        ("batches without a line", LINES, [lines()], [lines("a")]),
        ("an empty text", LINES, [lines("")], [lines()]),
        ("the topic is empty", KAFKA, [TOPIC, CALL], [TOPIC, records(0, 1), CALL]),
        ("partitions without records", KAFKA, [TOPIC, records(1), CALL], [TOPIC, records(0, 1), CALL, TOPIC]),
        ("records without a value", KAFKA, [records(0, value=None)], [records(0, key=None)]),
        ("records without a value or a key", KAFKA, [records(0, value=None, key=None)], [records(0)]),
        ("a late view", VIEWS, [views(["@ + 1 ms", "a", 1]), PLAIN], [views(["@", "a", 1], ["@ - 1 h", "a", 1]), views(["@ + 1 s", "a", 1])]),
        ("a word comes again", LINES, [lines("a b"), lines("c B")], [lines("a b a"), lines("c")]),
        ("equal lines", LINES, [lines("a", "a")], [lines("a", "A")]),
        ("several in a second", LINES, [lines("a", "b")], [lines("a"), lines("b")]),
        ("the first batch comes again", VIEWS, [PLAIN, {"crash": True}], [PLAIN, PLAIN, {"crash": True}]),
        ("after a crash", VIEWS, [PLAIN, {"crash": True}], [PLAIN, {"restart": True}]),
        ("after a restart", VIEWS, [PLAIN, {"restart": True}], [PLAIN, {"crash": True}]),
        ("a member is killed", KAFKA, [{"join": {"name": "A"}}, {"kill": "A"}], [{"join": {"name": "A"}}, {"leave": "A"}]),
        ("the program dies", KAFKA, [{"call": {"handle": {"dies_after": 2}}}], [{"call": {"handle": {"raises_at": 2}}}]),
        ("the handler raises", KAFKA, [{"call": {"handle": {"raises_at": 2}}}], [{"call": {"handle": {"dies_after": 2}}}]),
        ("what retention removes", KAFKA, [{"delete_records": {"partition": 0, "before": 1}}], [CALL]),
        ("it is called twice", KAFKA, [CALL, CALL], [CALL]),
        ("two groups", KAFKA, [CALL, {"join": {"name": "A", "group": "other"}}], [CALL, {"join": {"name": "A"}}]),
        ("in lower case", LINES, [lines("a B")], [lines("a b")]),
        ("no punctuation", LINES, [lines("a b!")], [lines("don't")]),
        ("any white space", LINES, [lines("a\tb")], [lines("a b")]),
        ("letters beyond ASCII", LINES, [lines("ö")], [lines("o")]),
        ("a millisecond decides", VIEWS, [views(["@ + 1 ms", "a", 1])], [PLAIN]),
        ("a microsecond beside it", VIEWS, [views(["@ + 1 us", "a", 1])], [views(["@ + 1 ms", "a", 1])]),
    ],
)  # fmt: skip
def test_words_that_a_stream_shows(says: str, header: dict[str, Any], with_it: list[Any], without: list[Any], tmp_path: Path) -> None:
    """Each with the smallest stream of which they are true, and one of which they are not."""
    phrases = [phrase for phrase, _ in claimed(says, IN_STREAM)]

    assert phrases
    assert all(phrase.shown_by(stream(tmp_path, header, *with_it)) for phrase in phrases)
    assert not all(phrase.shown_by(stream(tmp_path, header, *without)) for phrase in phrases)


def emitted(*steps: list[tuple[str, int]] | None, dropped: int = 0) -> Output:
    """What comes out of a function with a text and a number."""
    function = Function("counts", "dstream", columns={"word": "STRING", "count": "BIGINT"})
    found = [
        () if rows is None else (Batch(tuple({"word": word, "count": count} for word, count in rows), dropped=dropped),) for rows in steps
    ]
    return Output(function, [StepOutput(batches) for batches in found])


@pytest.mark.parametrize(
    ("says", "with_it", "without"),
    [
        ("also below 0", emitted([("a", -1)]), emitted([("a", 0)])),
        ("an empty window has none", emitted([]), emitted(None, [("a", 1)])),
        ("pages that left it are gone", emitted([("a", 2)], None, [("b", 1)]), emitted([("a", 2)], [("a", 1), ("b", 1)], None)),
        ("a word is forgotten", emitted([("a", 1)], []), emitted([("a", 1)], None)),
        ("a row behind the watermark is dropped", emitted([], dropped=1), emitted([])),
        ("equal ones by name", emitted([("a", 1), ("b", 1)]), emitted([("a", 1)], [("b", 1)])),
    ],
)
def test_words_that_the_output_shows(says: str, with_it: Output, without: Output, tmp_path: Path) -> None:
    """They are judged by what a right program emits, whatever arrives."""
    phrases = [phrase for phrase, _ in claimed(says, IN_OUTPUT)]
    anything = stream(tmp_path, VIEWS, PLAIN)

    assert phrases
    assert all(phrase.shown_by(anything, with_it) for phrase in phrases)
    assert not all(phrase.shown_by(anything, without) for phrase in phrases)


def test_strength_and_verify_tell_claims(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command after the wrong programs; verify where the manifest asks for strong fixtures."""
    monkeypatch.setenv("AUTOGRADER_ROOT", str(kit))
    done = CliRunner().invoke(main, ["strength", "toy"])
    assert done.exit_code == 1
    assert done.output.index("that a stream tells") < done.output.index("toy: counts is only ever called with least = 1")
    assert done.output.endswith("toy: 2 claims that the data do not show\n")

    variant = Variant({"least": 1})
    assert not any(line.startswith("toy: ") for line in proof.without_grading(AnswerKey.load(Catalog(kit), "toy"), variant))
    rewrite(kit / "assignments/toy/assignment.toml", ("order = 1\n", "order = 1\n\n[verify]\nstrong = true\n"))
    found = proof.without_grading(AnswerKey.load(Catalog(kit), "toy"), variant)
    assert any(line.startswith("toy: counts is only ever called with least = 1") for line in found)
    assert any(line.startswith("toy: no check of counts catches least_hard_coded: ") for line in found)


def test_claims_alone_make_an_assignment_weak(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit code is that of wrong programs."""
    monkeypatch.setenv("AUTOGRADER_ROOT", str(kit))
    monkeypatch.setattr(trials, "wrong_programs", lambda *_: [])

    done = CliRunner().invoke(main, ["strength", "toy"])

    assert done.output.startswith("toy: no wrong programs that a stream tells; 0 more")
    assert done.exit_code == 1


# Many students.


def strong_toy(kit: Path, choices: str, hidden: str) -> AnswerKey:
    """A toy whose hidden check asks for another value, with its choices, and with a hidden fixture."""
    rewrite(
        kit / "assignments/toy/assignment.toml",
        ("choices = [1, 2]", choices),
        ('fixtures = ["secret"]', f'fixtures = ["secret", "more"]\n{hidden}'),
    )
    (kit / "fixtures/toy/hidden/more.jsonl").write_text((kit / "fixtures/toy/visible/three_steps.jsonl").read_text())
    return AnswerKey.load(Catalog(kit), "toy")


def hidden_mistakes(answer_key: AnswerKey, students: int) -> tuple[set[str], trials.Findings]:
    """The wrong programs that get full points as some student's, and all that was found."""
    found = trials.findings(answer_key, strength_report.drawn(answer_key.assignment, students))
    return {each.survivor.wrong.id for each in found.weak if each.told}, found


def test_values_that_hide_a_mistake_are_told_with_the_variant(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A student whose value is the hidden check's may write it into the code. Thirty students of two values need two trials."""
    answer_key = strong_toy(kit, "choices = [1, 2]", "parameters = { least = 2 }")
    weak, found = hidden_mistakes(answer_key, 30)

    assert "least_as_drawn" in weak
    assert [claim.id for claim, variant in found.claims if variant.parameters == {"least": 2} and "least" in claim.id] == ["one_least"]
    assert found.trials == 2 + 1 + 1  # words and double have no parameters

    monkeypatch.setenv("AUTOGRADER_ROOT", str(kit))
    done = CliRunner().invoke(main, ["strength", "toy", "--students", "30"])
    assert "counts: no check catches least_as_drawn: The value of least is written into the code: 2.\n" in done.output
    assert "\n    in the variant least = 2\n" in done.output
    assert "least_as_drawn" not in hidden_mistakes(strong_toy_with_three(kit), 30)[0]


def strong_toy_with_three(kit: Path) -> AnswerKey:
    """The same with a value in the hidden check that is no choice."""
    rewrite(kit / "assignments/toy/assignment.toml", ("parameters = { least = 2 }", "parameters = { least = 3 }"))
    return AnswerKey.load(Catalog(kit), "toy")


def test_draws_that_hide_a_mistake_are_told(kit: Path) -> None:
    """A capital letter that only some students' rows have catches nobody else's mistake; one that is written catches all."""
    answer_key = strong_toy(kit, "choices = [1]", "")
    path = kit / "fixtures/toy/hidden/more.jsonl"
    columns = {"at": {"time": {"every": "1 s"}}, "page": {"choice": ["a", "B"]}}
    draw = {"draw": {"source": "views", "seed": 1, "steps": 1, "rows": [1, 1], "columns": columns}}
    path.write_text("\n".join([path.read_text().splitlines()[0], json.dumps(draw)]))
    assert draws(path)
    weak, found = hidden_mistakes(answer_key, 30)
    (survivor,) = [each for each in found.weak if each.survivor.wrong.id == "views_page_in_lower_case"]
    drawn = replace(answer_key, seeds=survivor.variant.seeds)
    case = next(case for case in strength.cases(drawn, "counts", {"least": 1}) if case.fixture.name == "more")

    assert "views_page_in_lower_case" in weak
    assert [row["page"] for step in case.fixture.steps for row in step.rows["views"]] == ["a"]
    rewrite(kit / "fixtures/toy/hidden/secret.jsonl", ('["@", "zanzibar"]', '["@", "Zanzibar"]'))
    assert "views_page_in_lower_case" not in hidden_mistakes(answer_key, 30)[0]


def test_what_a_step_calls_with_counts_as_what_it_is_called_with() -> None:
    """Without the call that asks for more of everything, three partitions may be written into the code by whom three are drawn for."""
    answer_key = AnswerKey.load(CATALOG, "kafka_setup")
    values = {**answer_key.assignment.defaults(), "partitions": 3, "replication": 2}
    checks = [
        replace(check, fixtures=tuple(name for name in check.fixtures if name != "more_of_all")) for check in answer_key.assignment.checks
    ]
    fewer = replace(answer_key, assignment=replace(answer_key.assignment, checks=tuple(checks)))

    def weak(answer_key: AnswerKey) -> set[str]:
        found = trials.Trials(answer_key, "create_topic").weak(Variant(values))
        return {each.survivor.wrong.id for each in found if each.told}

    assert weak(answer_key) == set()
    assert {"partitions_as_drawn", "replication_as_drawn", "partitions_at_most_default"} <= weak(fewer)


@pytest.mark.soak
@pytest.mark.parametrize("slug", CATALOG.slugs())
def test_no_variant_hides_a_mistake(slug: str) -> None:
    """Every wrong program is caught, and every claim shown, in the variant of each of many students."""
    weak, found = hidden_mistakes(AnswerKey.load(CATALOG, slug), STUDENTS)

    assert weak == set()
    assert found.claims == ()


def test_what_a_replay_tells_of_itself_carries_few_points(kit: Path) -> None:
    """State and times alone cannot be looked at from outside; `verify` says so where more than a sixth of the points rest on them."""
    path = kit / "assignments/toy/assignment.toml"
    assert not [line for line in proof.without_grading(AnswerKey.load(Catalog(kit), "toy"), Variant({"least": 1})) if "of itself" in line]

    path.write_text(path.read_text().replace("points = 3", 'points = 3\ncompare = "state"'))
    told = [line for line in proof.without_grading(AnswerKey.load(Catalog(kit), "toy"), Variant({"least": 1})) if "of itself" in line]

    assert len(told) == 1
    assert "points are for state or times, which a replay tells of itself: let it be a sixth at most" in told[0]
