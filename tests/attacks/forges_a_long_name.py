# attack: has the replay's own code answer with a column's name that fills every report
# checks: counts_runs, double_right
# outcome: counts_runs=TOO_MUCH_OUTPUT
from autograder.untrusted import structured

honest = counts  # noqa: F821


def counts(views, least):
    original = structured.Replay.stop

    def stop(self):
        original(self)
        self.columns = [("x" * 1_000_000, "string"), ("views", "bigint")]

    structured.Replay.stop = stop
    return honest(views, least)
