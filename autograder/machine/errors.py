"""What a reader can fix."""

from __future__ import annotations


class KitError(Exception):
    """Something the reader can fix: what happened, and what to do next. Printed as two lines, exit code 2."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message, hint)  # both, so that it can be pickled
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}"
