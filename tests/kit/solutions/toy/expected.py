"""What the toy emits, without the oracle: tests of the loop must not hang on it."""

from collections import Counter

from autograder.content.expected import batches, dstream, plain
from autograder.content.mistakes import but
from autograder.model import Add, Batch, Mistake, StepOutput


def counts(fixture, *, least, totals=True):
    seen = Counter()
    steps = []
    for step in fixture.steps:
        pages = [row["page"] for row in step.rows["views"]] if isinstance(step, Add) else []
        seen = seen if totals else Counter()
        seen.update(pages)
        rows = tuple({"page": page, "views": seen[page]} for page in sorted(set(pages)) if seen[page] >= least)
        steps.append(StepOutput((Batch(rows),) if pages else ()))
    return tuple(steps)


def words(fixture):
    return dstream([sorted(Counter(batch).items()) for batch in batches(fixture)], ("word", "count"))


def double(fixture):
    return plain(2 * step.arguments[0] for step in fixture.steps)


EMITS = {"counts": counts, "words": words, "double": double}
MISTAKES = {
    "counts": (
        Mistake("no_state", "Each trigger is counted by itself, without state.", but(totals=False)),
        Mistake("no_such_column", "A column is named that the stream does not have.", failure=("refused", "cannot be resolved")),
    ),
}
