"""The engines that there are, by name: the kit's own, and those that somebody has registered."""

from __future__ import annotations

from autograder.engines.base import Engine
from autograder.engines.builtin import BUILTIN
from autograder.model import Drive, KitError

_engines: dict[str, Engine] = {engine.name: engine for engine in BUILTIN}


def register(engine: Engine) -> None:
    """Add an engine; from now on manifests may name it. Raises KitError when another one has its name, or the name of its drive."""
    taken = {drive.name for other in _engines.values() for drive in other.drives}
    if engine.name in _engines or taken & {drive.name for drive in engine.drives}:
        raise KitError(f"An engine or a drive of {engine.name!r} is there already.", "Give the engine and its drives names of their own.")
    _engines[engine.name] = engine


def forget(name: str) -> None:
    """Take out an engine that was registered."""
    del _engines[name]


def names() -> tuple[str, ...]:
    """The names of all engines."""
    return tuple(_engines)


def engine(name: str) -> Engine:
    """The engine of a name. Raises KitError when there is none."""
    if name not in _engines:
        raise KitError(f"There is no engine {name!r}.", f"The engines are: {', '.join(_engines)}.")
    return _engines[name]


def drives() -> dict[str, Drive]:
    """All drives by name."""
    return {drive.name: drive for found in _engines.values() for drive in found.drives}
