"""What a student reads about an error: its cause, and a line to try that is about it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from autograder.content.fixtures import read_fixture
from autograder.judge import evidence
from autograder.judge.advice import RULES, explain
from autograder.judge.messages import MESSAGES
from autograder.model import Add, Batch, Difference, Failure, Function, StepOutput
from tests.conftest import HERE

NO_CHECKPOINT = "The checkpoint directory has not been set. Please set it by StreamingContext.checkpoint()."
NUMBERS = read_fixture(HERE / "kit/fixtures/toy/visible/numbers.jsonl", {})
DSTREAM = Function("counts", "dstream", ("pages",), ("window", "slide"))
STATEFUL = replace(DSTREAM, provides=("checkpoint",))
QUERY = Function("counts", "structured", ("views",))
PLAIN = Function("double", "plain", columns={"result": "INT"})


def test_a_window_without_none_is_told_as_that() -> None:
    """reduceByKeyAndWindow(function, window, slide) takes the window for the inverse function, and only then wants a checkpoint folder."""
    _, what, hint = explain(DSTREAM, Failure("refused", NO_CHECKPOINT, None, "IllegalArgumentException"))

    assert what == "counts keeps state, and needs none: an operator has an inverse function, or an update function."
    assert hint.endswith("reduceByKeyAndWindow(function, None, window, slide).")
    assert "checkpoint" not in what + hint


@pytest.mark.parametrize(
    ("function", "failure", "says", "hint"),
    [
        (
            STATEFUL,
            Failure("refused", NO_CHECKPOINT),
            r"keeps state and sets no checkpoint folder",
            r"context\(\)\.checkpoint\(checkpoint\)",
        ),
        (
            DSTREAM,
            Failure("raised", "DStream.reduceByKeyAndWindow() missing 1 required positional argument: 'invFunc'", 3, "TypeError"),
            r"^counts raises TypeError: .*'invFunc'$",
            r"write None in its place",
        ),
        (
            DSTREAM,
            Failure("raised", "windowDuration must be multiple of the parent dstream's slide", 1, "ValueError"),
            "multiple",
            "in seconds",
        ),
        (DSTREAM, Failure("raised", "'DStream' object is not iterable", 1, "TypeError"), "not iterable", "A stream is no list"),
        (
            DSTREAM,
            Failure("raised_at_step", "Could not serialize object: TypeError: cannot pickle", None, "PicklingError", 0),
            r"cannot pickle \(at step 1\)$",
            "only the driver has",
        ),
        (
            DSTREAM,
            Failure("raised_at_step", "Spark was given a list where it takes an RDD.", None, "AttributeError", 0),
            "a list",
            "wants one back",
        ),
        (
            DSTREAM,
            Failure("raised_in_task", "f() takes 1 positional argument but 2 were given", 3, "TypeError", 0),
            "2 were given",
            "The operator calls",
        ),
        (DSTREAM, Failure("refused", "assertion failed: slide"), "assertion failed", "Read the reason"),
        (QUERY, Failure("refused", "[UNRESOLVED_COLUMN] `a` cannot be resolved."), "cannot be resolved", "columns that there are"),
        (
            QUERY,
            Failure("refused", "Invalid streaming output mode: append."),
            "output mode",
            "Check the output mode and where the watermark stands",
        ),
        (QUERY, Failure("refused", "[DATATYPE_MISMATCH] Cannot resolve window(a)"), "Cannot resolve", "in which order"),
        (
            QUERY,
            Failure("raised_at_step", "upsert() takes 1 positional argument but 2 were given", None, "TypeError", 0),
            "upsert",
            "the batch and its id",
        ),
        (
            QUERY,
            Failure("raised_at_step", "Queries with streaming sources must be", 3, "AnalysisException", 0),
            "Queries",
            "the batch that it is given",
        ),
        (QUERY, Failure("returned_other", "DataFrame, not DataStreamWriter"), "not DataStreamWriter", "Return the writer"),
        (QUERY, Failure("returned_other", "GroupedData, not DataFrame"), "GroupedData", "count"),
        (QUERY, Failure("returned_other", "str, not DataFrame"), "a str", "what the handout says"),
        (DSTREAM, Failure("wrong_elements", "(1, 2), not a single value (peak)"), "not a single value", "no tuple"),
        (DSTREAM, Failure("wrong_elements", "'a', not a tuple (word, count)"), "'a', not a tuple", "a tuple as in the handout"),
        (QUERY, Failure("raised", "", 3, "AssertionError"), r"^counts raises AssertionError$", "line"),
        (QUERY, Failure("timeout", "5", step=1), r"^It did not finish within 5 seconds \(at step 2\)\.$", "endless loop"),
    ],
    ids=lambda value: value.text[:30] if isinstance(value, Failure) else "",
)
def test_what_is_said_of_an_error(function: Function, failure: Failure, says: str, hint: str) -> None:
    """In one sentence what, in one line what to try."""
    _, what, told = explain(function, failure)

    assert re.search(says, what)
    assert hint in told or re.search(hint, told)


def test_a_stream_without_modes_gets_no_advice_about_them() -> None:
    """Only where the error itself speaks of output modes or watermarks does the advice."""
    general = {kind: message.hint for kind, message in MESSAGES.items()}
    of_modes = [rule for rule in RULES if "mode" in rule.hint and rule.kinds == ("refused",)]

    assert not [kind for kind, hint in general.items() if "output mode" in hint or "watermark" in hint]
    assert [rule.words for rule in of_modes] == [r"output mode|watermark|[Ss]orting|Limits"]


def test_every_rule_is_about_failures_that_there_are() -> None:
    """And every hint and text can be filled in."""
    for rule in RULES:
        assert set(rule.kinds) <= set(MESSAGES)
        assert (rule.what + rule.hint).format(name="f", call="f()", text="t", error="E")


def observed(answer: object) -> tuple[StepOutput, ...]:
    """What a plain function returned."""
    return (StepOutput((Batch(({"result": answer},)),)),)


@pytest.mark.parametrize(
    ("got", "want", "says"),
    [
        (22, 42, "Step 2: double(21) returned 22, not 42."),
        ("22", 42, "Step 2: double(21) returned 22, not 42."),
        ([22], 42, "Step 2: double(21) returned [22], not 42."),
        ("x" * 300, 42, "Step 2: double(21) returned something else."),
    ],
)
def test_a_plain_function_is_shown_with_its_arguments(got: object, want: object, says: str) -> None:
    """The call of the step, what it returned and what is right: a single value, no tuple."""
    found = Difference(1, "rows", ({"result": want},), ({"result": got},), ({"result": want},), ({"result": got},))

    assert evidence.sentence(found, PLAIN, NUMBERS) == says


def test_forged_answers_of_a_plain_function_are_told() -> None:
    """Nothing that a replay may say ends the judgement."""
    found = Difference(0, "rows", ({"result": 1},), (), ({"result": 1},), ())

    assert evidence.sentence(found, PLAIN, NUMBERS) == "Step 1: double(1) returned (no rows), not 1."
    assert evidence.sentence(Difference(0, "types", text="result is STRING where INT is asked"), PLAIN, NUMBERS).startswith("A column")


def test_errors_of_a_plain_function_name_the_call() -> None:
    """With the arguments of the failing step; where it was never called, with places for them."""
    assert explain(PLAIN, Failure("raised", "'x'", 3, "KeyError", 1), None, NUMBERS)[1] == "double(21) raises KeyError: 'x' (at step 2)"
    assert explain(PLAIN, Failure("raised", "'x'", 3, "KeyError", 9), None, NUMBERS)[1] == "double raises KeyError: 'x' (at step 10)"
    assert (
        explain(PLAIN, Failure("wrong_parameters", "double()"), None, NUMBERS)[1]
        == "The function is called as double(…), but yours is double()."
    )
    assert (
        explain(replace(PLAIN, parameters=("by",)), Failure("returned_none", step=0), None, NUMBERS)[1]
        == "double(1, …) returns None (at step 1)."
    )


def test_other_functions_are_named_as_they_are() -> None:
    """A fixture without questions changes nothing."""
    fixture = replace(NUMBERS, steps=(Add({}),))

    assert explain(QUERY, Failure("raised", "'x'", 3, "KeyError", 0), None, fixture)[1] == "counts raises KeyError: 'x' (at step 1)"


def test_a_text_with_braces_is_told_as_it_is() -> None:
    """What an error says is no form to fill in."""
    assert explain(QUERY, Failure("raised", "{name} {0}", 3, "KeyError"))[1] == "counts raises KeyError: {name} {0}"
