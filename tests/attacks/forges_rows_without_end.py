# attack: has the replay's own code answer with a hundred thousand rows, which somebody would have to compare
# checks: counts_runs, double_right
# outcome: counts_runs=TOO_MUCH_OUTPUT
from autograder.untrusted import structured

honest = counts  # noqa: F821


def counts(views, least):
    structured.Replay.batch = lambda self, number, rows: structured.Batch([["a", 1]] * 100_000)
    return honest(views, least)
