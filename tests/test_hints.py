"""The hint that a student reads is for what failed."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from click.testing import CliRunner

from autograder.cli.main import main
from autograder.content.catalog import Catalog
from autograder.judge.advice import advice, explain
from autograder.judge.hints import WORDS, fails, in_words
from autograder.judge.messages import MESSAGES
from autograder.model import Check, Difference, Fails, Failure, Function, Hint
from tests.conftest import HERE

CATALOG = Catalog(HERE.parent)
FUNCTION = Function("f", "structured", columns={"a": "INT"})
ROW, OTHER = ({"a": 1},), ({"a": 2},)
#: A difference of each kind.
DIFFERENCES: dict[Fails, Difference] = {
    "missing": Difference(0, "rows", missing=ROW),
    "unexpected": Difference(0, "rows", unexpected=ROW),
    "different": Difference(0, "rows", ROW, OTHER),
    "order": Difference(0, "rows"),
    "output": Difference(0, "output", expected=None, got=ROW),
    "silence": Difference(0, "output", expected=(), got=None),
    "columns": Difference(0, "columns", text="missing: a"),
    "types": Difference(0, "types", text="a is STRING where INT is asked"),
    "state": Difference(0, "state", text="3 rows are kept in state, where 1 are enough"),
}
#: Failures of a replay that a hint may be for; what is seen on brokers is in test_kafka_facts.
OF_REPLAYS = ("refused", "raised", "raised_at_step", "raised_in_task", "returned_other", "wrong_elements", "timeout")


def check(*hints: str | Hint) -> Check:
    """A check with these hints."""
    return Check("c", "says", "f", ("x",), 1, hints)


@pytest.mark.parametrize("kind", DIFFERENCES)
def test_each_difference_has_a_hint_of_its_own(kind: Any) -> None:
    """The first that is for it, before any that is for something else or for anything."""
    others: tuple[Fails, ...] = tuple(other for other in DIFFERENCES if other != kind)
    hints = check("for anything", Hint("for others", others), Hint("for this", (kind,)), Hint("for this too", (kind,)))

    assert fails(DIFFERENCES[kind]) == (kind,)
    assert advice(FUNCTION, hints, DIFFERENCES[kind]) == "for this"


def test_a_hint_for_anything_is_given_where_none_is_for_what_failed() -> None:
    """And none where there is none, for a wrong hint is worse. Columns need no hint of the check."""
    other = Hint("rows are missing", ("missing",))

    assert advice(FUNCTION, check(other, "for anything", "later"), DIFFERENCES["order"]) == "for anything"
    assert not advice(FUNCTION, check(other), DIFFERENCES["order"])
    assert advice(FUNCTION, check("for anything"), DIFFERENCES["columns"]) == "Name the columns as the handout does: a."
    assert advice(FUNCTION, check("for anything"), DIFFERENCES["types"]).startswith("Give the column the type")


@pytest.mark.parametrize("kind", OF_REPLAYS)
def test_a_failure_has_the_hint_that_is_for_it(kind: Any) -> None:
    """In place of the kit's own line; a hint for anything is none for a failure, of which more is known."""
    failure = Failure(kind, "text")

    assert explain(FUNCTION, failure, check("for anything", Hint("for this", (kind,))))[2] == "for this"
    assert explain(FUNCTION, failure, check("for anything"))[2] == explain(FUNCTION, failure)[2] == MESSAGES[kind].hint


def test_words_of_an_error_decide() -> None:
    """What the author says of these words goes before what the kit knows of them, and that before a hint for any such failure."""
    of_words, of_kind = Hint("of these words", ("refused",), "`PAGE`"), Hint("of any refusal", ("refused",))
    unresolved = Failure("refused", "[UNRESOLVED_COLUMN] `page` cannot be resolved.", None, "AnalysisException")

    assert explain(FUNCTION, unresolved, check(of_kind, of_words))[2] == "of these words"
    assert explain(FUNCTION, unresolved, check(of_kind))[2].startswith("Compare this name with the columns")
    assert explain(FUNCTION, Failure("refused", "for another reason"), check(of_words, of_kind))[2] == "of any refusal"
    assert explain(FUNCTION, Failure("raised", "`page`"), check(of_words))[2] == MESSAGES["raised"].hint
    assert in_words(of_words) == "Where Spark refuses the query (“`PAGE`”): of these words"


def test_every_word_is_known() -> None:
    """What a hint may be for has words, and is a difference, a fact or a failure."""
    facts = {"returned", "unhandled", "handled_again", "uncommitted", "lost"}

    assert set(WORDS) == set(get_args(Fails)) == {*DIFFERENCES, *facts, *OF_REPLAYS}
    assert set(OF_REPLAYS) <= set(MESSAGES)


@pytest.mark.parametrize("slug", CATALOG.slugs())
def test_no_check_is_without_a_hint(slug: str) -> None:
    """One hint of each is for anything, so that there is one for whatever fails."""
    checks = CATALOG.assignment(slug).checks

    assert [each.id for each in checks if not any(isinstance(hint, str) for hint in each.hints)] == []


def test_a_hint_is_shown_with_what_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """`autograder hint` shows them in the manifest's order, one by one."""
    monkeypatch.setenv("AUTOGRADER_ROOT", str(HERE.parent))
    shown = CliRunner().invoke(main, ["hint", "windowed_counts", "pages_leave", "-n", "2"]).output

    assert shown.startswith(
        "1. Where there is output where none is expected or there is no output where some is expected: There is an output"
    )
    assert "\n2. Where rows are missing: Only pages without a view" in shown
    assert "(2 more: autograder hint windowed_counts pages_leave -n 3)" in shown
    assert in_words("plain") == "plain"
