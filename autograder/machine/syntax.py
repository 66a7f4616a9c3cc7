"""Python's own parser, for several threads."""

from __future__ import annotations

import ast
import threading

_PARSING = threading.Lock()


def parse(text: str | bytes) -> ast.Module:
    """``ast.parse`` for several threads: CPython 3.11 counts the depth of all at once and then raises SystemError."""
    with _PARSING:
        return ast.parse(text)
