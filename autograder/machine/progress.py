"""How what takes long tells that it goes on."""

from __future__ import annotations

from collections.abc import Callable

#: Told while something long runs: a text, how many are done, how many there are (0: unknown).
Progress = Callable[[str, int, int], None]


def silent(_text: str, _done: int, _of: int) -> None:
    """Nothing is told."""
