"""The answers in a release: what right programs and known mistakes emit on the visible fixtures, without what computes it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from autograder.content.files import read_text
from autograder.content.manifest import first_refusal
from autograder.model import Batch, Expectation, Fixture, KitError, Mistake, StepOutput, Value

Scalar: TypeAlias = bool | int | str
_AGAIN = "Take the file from the release again."


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Batch(_Strict):
    """What the judge looks at."""

    rows: list[dict[str, Any]]
    state: int | None = None


_Steps: TypeAlias = list[list[_Batch]]


class KnownMistake(_Strict):
    """A mistake, without what computes its output. ``failure`` is (kind, words of the error text)."""

    id: str
    says: str
    failure: Annotated[list[str], Field(min_length=2, max_length=2)] | None = None


class Answer(_Strict):
    """What a function emits on a fixture, by step, and what those mistakes emit that emit something else there.

    ``fed`` is the fixture's ``fingerprint``, ``parameters`` are those of the call.
    """

    function: str
    fixture: str
    fed: str
    parameters: dict[str, Scalar]
    emits: _Steps
    mistakes: dict[str, _Steps] = Field(default_factory=dict)


class Answers(_Strict):
    """The file: answers for these values of the assignment's parameters, and the known mistakes by function."""

    version: Literal[1] = 1
    parameters: dict[str, Scalar]
    mistakes: dict[str, list[KnownMistake]]
    answers: list[Answer]


def fingerprint(fixture: Fixture) -> str:
    """What a fixture feeds, as one word: another file or other parameters give another one."""
    fed = [fixture.drive.name, fixture.brokers, dict(fixture.schemas), [[type(step).__name__, asdict(step)] for step in fixture.steps]]
    return hashlib.sha256(json.dumps(fed).encode()).hexdigest()[:32]


def steps(outputs: Sequence[StepOutput]) -> _Steps:
    """Outputs as they are written. Raises ValueError for a value that JSON does not give back as it was."""
    found = [[_Batch(rows=list(batch.rows), state=batch.state) for batch in output.batches] for output in outputs]
    rows = [[batch.rows for batch in step] for step in found]
    if repr(json.loads(json.dumps(rows))) != repr(rows):
        raise ValueError(f"JSON cannot hold {rows!r:.200}")
    return found


def to_json(answers: Answers) -> str:
    """The file's text, an answer a line."""
    whole = answers.model_dump(exclude_defaults=True)
    head = {"version": answers.version, "parameters": whole["parameters"], "mistakes": whole["mistakes"]}
    lines = ",\n".join(json.dumps(answer) for answer in whole["answers"])
    return f'{json.dumps(head)[:-1]}, "answers": [\n{lines}\n]}}\n'


def load(path: Path, functions: Iterable[str]) -> Expectation:
    """The expectation of an assignment's functions that a release's file holds. Raises KitError when the file is damaged."""
    try:
        read = Answers.model_validate(json.loads(read_text(path)))
    except (ValidationError, ValueError, RecursionError) as error:
        raise KitError(f"{path}: {_reason(error)}", _AGAIN) from error
    by_function = {name: _Function(path, [answer for answer in read.answers if answer.function == name]) for name in functions}
    return Expectation(
        {name: function.emits for name, function in by_function.items()},
        {name: tuple(by_function[name].mistake(known) for known in read.mistakes.get(name, ())) for name in by_function},
        read.parameters,
    )


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return first_refusal(error, "the file")
    return f"not valid JSON: {error}"


class _Function:
    """The answers about one function."""

    def __init__(self, path: Path, answers: Iterable[Answer]) -> None:
        self.path = path
        self.answers = {(answer.fed, _key(answer.parameters)): answer for answer in answers}

    def emits(self, fixture: Fixture, **parameters: Value) -> tuple[StepOutput, ...]:
        """What a right program emits. Raises KitError where there is no answer."""
        return _outputs(self._answer(fixture, parameters).emits)

    def mistake(self, known: KnownMistake) -> Mistake:
        """A mistake with what it emits, where that is not what a right program does."""

        def emits(fixture: Fixture, **parameters: Value) -> tuple[StepOutput, ...]:
            answer = self._answer(fixture, parameters)
            return _outputs(answer.mistakes.get(known.id, answer.emits))

        predicts: Callable[..., tuple[StepOutput, ...]] | None = None
        if any(known.id in answer.mistakes for answer in self.answers.values()):
            predicts = emits
        return Mistake(known.id, known.says, predicts, (known.failure[0], known.failure[1]) if known.failure else None)

    def _answer(self, fixture: Fixture, parameters: Mapping[str, Value]) -> Answer:
        found = self.answers.get((fingerprint(fixture), _key(parameters)))
        if found is None:
            raise KitError(
                f"{self.path} has no answer for fixture {fixture.name!r} as it stands here.",
                "Take assignments/ and fixtures/ from the release again; your own file may stay.",
            )
        return found


def _key(parameters: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
    return tuple(sorted(parameters.items()))


def _outputs(found: _Steps) -> tuple[StepOutput, ...]:
    return tuple(StepOutput(tuple(Batch(tuple(batch.rows), state=batch.state) for batch in step)) for step in found)
