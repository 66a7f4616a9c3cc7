"""What an ``expected.py`` writes known mistakes with: the right program, but for one thing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from autograder.model import Fixture, StepOutput, Value

#: What a program emits on a fixture: ``(fixture, **parameters)`` to one output a step.
Emits: TypeAlias = Callable[..., tuple[StepOutput, ...]]


def but(function: Emits, **changes: Any) -> Emits:
    """What the function emits with these arguments changed, whatever the parameters are."""

    def emits(fixture: Fixture, **parameters: Value) -> tuple[StepOutput, ...]:
        return function(fixture, **{**parameters, **changes})

    return emits
