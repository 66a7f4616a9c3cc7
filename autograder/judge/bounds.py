"""How much of an observation is judged. The untrusted side has bounds of its own, but a submission may have taken them away."""

from __future__ import annotations

from autograder.model import Observation

#: Ten times what the largest right answer has.
_MOST_ROWS, _MOST_COLUMNS, _LONGEST_NAME = 20_000, 200, 300


def is_too_large(observation: Observation) -> bool:
    """Whether it has more rows or columns, or longer names, than any right answer and most wrong ones."""
    if len(observation.columns) > _MOST_COLUMNS or any(len(name) > _LONGEST_NAME for name, _ in observation.columns):
        return True
    return sum(len(batch.rows) for step in observation.steps for batch in step.batches) > _MOST_ROWS
