"""The page of outcomes says what students read."""

from __future__ import annotations

import pytest

from autograder.judge import outcomes
from autograder.model import Outcome
from tests.conftest import HERE, assert_same

PAGE = HERE.parent / "docs/outcomes.md"


def test_the_page_is_written_from_the_messages(request: pytest.FixtureRequest) -> None:
    """Every outcome and every failure, in their own words."""
    if request.config.getoption("--update-goldens"):
        PAGE.write_text(outcomes.to_markdown(), encoding="utf-8")

    assert_same([PAGE.read_text(encoding="utf-8"), outcomes.to_markdown()])


def test_every_outcome_has_a_meaning() -> None:
    """A new one cannot be forgotten."""
    assert set(outcomes._MEANINGS) == set(Outcome)
