"""An assignment as its manifest says it. The manifest is validated into these very classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from annotated_types import Ge, Le, MinLen
from pydantic import Discriminator, Field, StringConstraints, Tag

from autograder.wire import Limits, Value, record

Compare: TypeAlias = Literal["rows", "runs", "times", "state"]
OutputMode: TypeAlias = Literal["append", "update", "complete"]
#: What a hint may be for: how an output differs, what is seen on brokers, or what kept a replay from its end.
Fails: TypeAlias = Literal[
    "missing", "unexpected", "different", "order", "output", "silence", "columns", "types", "state",
    "returned", "unhandled", "handled_again", "uncommitted", "lost",
    "refused", "raised", "raised_at_step", "raised_in_task", "returned_other", "wrong_elements", "timeout",
]  # fmt: skip
#: What slugs, parameters, functions, checks and fixtures are called.
IDENTIFIER = r"^[a-z][a-z0-9_]*$"
Identifier = Annotated[str, StringConstraints(pattern=IDENTIFIER)]
#: Characters that a title, or whatever else is said in a manifest, has at least.
SHORTEST = 3
Sentence = Annotated[str, MinLen(SHORTEST)]
Scalar: TypeAlias = bool | int | str


@record
class Parameter:
    """A value drawn per student: a duration (``"10 minutes"``), a number or a word."""

    name: Identifier
    default: Scalar
    choices: Annotated[tuple[Scalar, ...], MinLen(1)]
    says: Sentence


@record
class Table:
    """The table that a function keeps in its store: what it is called, and the columns of its primary key."""

    name: Identifier
    key: Annotated[tuple[Identifier, ...], MinLen(1)]


@record
class Function:
    """A function that a student writes, and how the replay calls it.

    It is called with one stream for each of ``sources`` (of the engine ``kafka``: the brokers' address), then with ``parameters``
    and what the engine ``provides`` by keyword.
    ``mode`` is the output mode in which the replay runs a returned DataFrame; without one the function
    returns a ``DataStreamWriter`` that has its own. ``columns`` names the result's columns and Spark types, ``table`` the table of a
    store that has them.
    """

    name: Identifier
    engine: str
    sources: tuple[Identifier, ...] = ()
    parameters: tuple[Identifier, ...] = ()
    provides: tuple[str, ...] = ()
    mode: OutputMode | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    ordered: bool = False
    table: Table | None = None

    @property
    def signature(self) -> str:
        """The call as a student reads it: ``name(stream, parameter, …)``."""
        return f"{self.name}({', '.join((*self.sources, *self.parameters, *self.provides))})"


@record
class Hint:
    """One line to try, for those failures alone that it ``fits``; with ``words``: where the error has them, in capitals or not."""

    says: Sentence
    fits: Annotated[tuple[Fails, ...], MinLen(1), Field(alias="for")]
    words: str = ""


def _kind(hint: object) -> str | None:
    return {str: "~sentence", dict: "~table", Hint: "~table"}.get(type(hint))


#: A sentence is for any failure. A tag is no word of the manifest: what refuses one leaves out what begins with ~.
AnyHint: TypeAlias = Annotated[
    Annotated[Sentence, Tag("~sentence")] | Annotated[Hint, Tag("~table")],
    Discriminator(_kind, "hint", 'a hint is a sentence, or { for = ["missing"], says = "a sentence" }'),
]


@record
class Check:
    """One line of the marks: a function replayed on fixtures, compared in one respect. ``time_limit`` in seconds for each fixture."""

    id: Identifier
    says: Sentence
    function: Identifier
    fixtures: Annotated[tuple[Identifier, ...], MinLen(1)]
    points: Annotated[int, Ge(1)]
    hints: Annotated[tuple[AnyHint, ...], MinLen(1)]
    compare: Compare = "rows"
    needs: tuple[Identifier, ...] = ()
    partial: bool = False
    time_limit: Annotated[int, Ge(1), Le(600)] = 60
    parameters: Mapping[str, Scalar] = field(default_factory=dict)
    hidden: bool = False


@record
class Minimum:
    """What the proof of an assignment asks for: so many accepted and rejected files.

    ``strong``: that no wrong program made by rule survives, either (``autograder strength``).
    """

    accepted: Annotated[int, Ge(1)] = 6
    rejected: Annotated[int, Ge(1)] = 15
    strong: bool = False


@record
class Assignment:
    """An assignment: what its functions are, how each is checked, what a submission may use, and what its proof asks for."""

    slug: str
    title: Sentence
    summary: Sentence
    order: int
    functions: Annotated[Mapping[Identifier, Function], MinLen(1)]
    checks: Annotated[tuple[Check, ...], MinLen(1)]
    parameters: Mapping[Identifier, Parameter] = field(default_factory=dict)
    limits: Limits = Limits()
    verify: Minimum = Minimum()

    @property
    def max_points(self) -> int:
        """The points of all checks."""
        return sum(check.points for check in self.checks)

    @property
    def visible(self) -> tuple[Check, ...]:
        """The checks that students can run."""
        return tuple(check for check in self.checks if not check.hidden)

    def defaults(self) -> dict[str, Value]:
        """The default value of every parameter."""
        return {name: parameter.default for name, parameter in self.parameters.items()}


@dataclass(frozen=True)
class Variant:
    """What an assignment is graded with: a value for every parameter, and by fixture what is added to the seed of what it draws."""

    parameters: Mapping[str, Value]
    seeds: Mapping[str, int] = field(default_factory=dict)
