"""What may go wrong outside a submission."""

from __future__ import annotations

from autograder.machine.errors import KitError

__all__ = ["GraderFaultError", "KitError"]


class GraderFaultError(Exception):
    """A fault of ours or of this machine, with the text for the instructor."""
