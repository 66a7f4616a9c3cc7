"""All outcomes and failures as a page for readers: the text of ``docs/outcomes.md``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from autograder.judge.advice import RULES
from autograder.judge.hints import WORDS
from autograder.judge.messages import MESSAGES
from autograder.model import Outcome

_MEANINGS: Mapping[Outcome, str] = {
    Outcome.PASSED: "on every fixture of the check the replay did what the oracle says",
    Outcome.FAILED: "it ran, and what it emitted is different; or the function is not written yet",
    Outcome.ERROR: "the submission could not be replayed to its end: the table below says why",
    Outcome.TIMEOUT: "it did not finish within the check's time limit (`time_limit`, 60 seconds for each fixture by default)",
    Outcome.OUT_OF_MEMORY: "it needs more memory than it may use; limits are in the manifest, see [security](security.md)",
    Outcome.TOO_MANY_PROCESSES: "it starts more processes and threads than it may",
    Outcome.TOO_MANY_FILES: "it has more files and connections open than it may",
    Outcome.TOO_MUCH_OUTPUT: "its result is larger than the grader reads, or it writes or prints more than it may",
    Outcome.SKIPPED: "a check that it needs did not pass; the reason names it",
    Outcome.GRADER_ERROR: "a fault of the grader or its machine: nothing is decided, `grade` exits with 3",
}


def to_markdown() -> str:
    """The page, the same bytes for the same messages."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "<!-- Written from the messages by `pytest tests/test_outcomes.py --update-goldens`. -->"
    yield "# Outcomes\n"
    yield "A check ends as one of these. Only `PASSED` gives full points; a check with `partial = true` gives points in proportion to"
    yield "the fixtures that pass.\n"
    yield "| outcome | meaning |\n|---|---|"
    yield from (f"| `{outcome.value}` | {_MEANINGS[outcome]} |" for outcome in Outcome)
    yield "\n## Failures\n"
    yield "What kept a replay from its end, as the student reads it. A `Mistake` in an `expected.py` names a kind and words of the error.\n"
    yield "| kind | outcome | what | try |\n|---|---|---|---|"
    for kind, message in MESSAGES.items():
        yield f"| `{kind}` | {message.outcome.value} | {message.what} | {message.hint} |"
    yield "\nWhere the error and its text match these words, what to try is more exact; the first that matches is taken.\n"
    yield "| kinds | words | what, where it is another | try |\n|---|---|---|---|"
    for rule in RULES:
        only = f", of what is given no `{rule.without}`" * bool(rule.without)
        yield f"| {_coded(rule.kinds)} | {_coded([rule.words])}{only} | {rule.what} | {rule.hint} |"
    yield "\n## Hints\n"
    yield "What a hint of a manifest may be `for`. Where an output differs, a student is given the first hint that is for this, else the"
    yield "first that is for anything. Where there is a failure: the first hint for it whose `words` the error has, else the line of the"
    yield "second table above, else the first hint for it without `words`, else the line of the first table.\n"
    yield "| for | where |\n|---|---|"
    yield from (f"| `{kind}` | {words} |" for kind, words in WORDS.items())


def _coded(texts: Iterable[str]) -> str:
    return ", ".join(f"`{text}`".replace("|", "\\|") for text in texts)
