"""Replay a fixture through a plain function: it is asked once a step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from autograder.untrusted.session import Joined
from autograder.untrusted.stopped import Stopped, from_exception
from autograder.untrusted.structured import plain
from autograder.untrusted.submission import FILE, traps
from autograder.wire import Ask, Batch, ReplayAnswer, ReplayRequest


class Replay:
    """One fixture, one function. A session is there for a file that asks for one at its top."""

    def __init__(self, joined: Joined, build: Callable[..., Any], request: ReplayRequest, scratch: Path) -> None:  # noqa: ARG002  # as the others
        self.build, self.request = build, request

    def run(self, part: range) -> ReplayAnswer:
        """Ask once a step. Raises Stopped with the step at which it went wrong."""
        questions = [step for step in (self.request.steps[index] for index in part) if isinstance(step, Ask)]
        return ReplayAnswer(self.request.id, steps=tuple((Batch([[self.answer(*each)]]),) for each in enumerate(questions)))

    def answer(self, index: int, question: Ask) -> Any:
        """What the function returns, as JSON can carry it."""
        try:
            with traps():
                found = plain(self.build(*question.arguments, **self.request.parameters))
        except BaseException as error:
            raise from_exception(error, FILE, "raised", index) from error
        if found is None:
            raise Stopped("returned_none", "an answer", step=index)
        return found

    def clean(self) -> None:
        """Nothing is left behind."""
