"""What a student reads about a failure or a difference: what happened, and one line to try, the most exact that is known."""

from __future__ import annotations

import re
from dataclasses import dataclass

from autograder.judge.hints import fails, fitting, fitting_words, general
from autograder.judge.messages import MESSAGES
from autograder.model import Ask, Check, Difference, Failure, Fixture, Function, Outcome


@dataclass(frozen=True)
class Rule:
    """More exact words for failures of these ``kinds`` whose error and text match ``words``.

    ``what`` and ``hint`` are as in a ``Message``; without ``what`` the message's own stays. ``without``: only for functions that are not
    given this.
    """

    kinds: tuple[str, ...]
    words: str
    hint: str
    what: str = ""
    without: str = ""

    def fits(self, function: Function, failure: Failure) -> bool:
        """Whether it is about such a failure of such a function."""
        return (
            failure.kind in self.kinds
            and (not self.without or self.without not in function.provides)
            and bool(re.search(self.words, f"{failure.error}: {failure.text}"))
        )


_AT_STEP = ("raised_at_step", "raised_in_task")
#: The first that fits is taken.
RULES = (
    Rule(
        ("refused",),
        r"checkpoint directory has not been set",
        "Is it reduceByKeyAndWindow? There the inverse function comes before window and slide; without one write None in its place: "
        "reduceByKeyAndWindow(function, None, window, slide).",
        "{name} keeps state, and needs none: an operator has an inverse function, or an update function.",
        without="checkpoint",
    ),
    Rule(
        ("refused",),
        r"checkpoint directory has not been set",
        "Give the folder to the stream's context: stream.context().checkpoint(checkpoint).",
        "{name} keeps state and sets no checkpoint folder.",
    ),
    Rule(
        ("raised",),
        r"reduceBy\w*Window\(\) missing",
        "The inverse function comes before window and slide; without one write None in its place.",
    ),
    Rule(
        ("raised", "refused"),
        r"multiple of the parent dstream|invalid literal for int\(\).*second",
        "A DStream's window and slide are whole numbers of batches, given in seconds as numbers.",
    ),
    Rule(
        ("raised", *_AT_STEP),
        r"PicklingError|CONTEXT_ONLY_VALID_ON_DRIVER",
        "A function that works on rows uses what only the driver has: a stream, its context or a connection.",
    ),
    Rule(
        ("raised", "refused", *_AT_STEP),
        r"UNRESOLVED_COLUMN|ATTRIBUTE_NOT_SUPPORTED",
        "Compare this name with the columns that there are at this place.",
    ),
    Rule(("refused",), r"output mode|watermark|[Ss]orting|Limits", "Check the output mode and where the watermark stands."),
    Rule(
        ("raised", "refused"),
        r"DATATYPE_MISMATCH|NOT_EXPECTED_TYPE|CANNOT_PARSE_INTERVAL|NOT_ON_TIMESTAMP_TYPE|where it takes",
        "Look at what this call takes, and in which order.",
    ),
    Rule(
        _AT_STEP,
        r"where it takes an RDD",
        "RDDs are joined with RDDs, and transform() wants one back: leave out what brings rows to the driver, such as collect().",
    ),
    Rule(
        ("raised_at_step",),
        r"takes \d+ positional arguments? but 2 were given",
        "foreachBatch calls your function with the batch and its id.",
    ),
    Rule(("raised_in_task",), r"positional arguments?\b", "The operator calls your function with other arguments than it takes."),
    Rule(_AT_STEP, r"Queries with streaming sources", "In foreachBatch use the batch that it is given, not the stream."),
    Rule(("raised",), r"'(DStream|DataFrame|GroupedData)' object is not iterable", "A stream is no list: use its own operators."),
    Rule(("returned_other",), r"GroupedData", "After groupBy() say what is counted or added: count(), agg(…)."),
    Rule(("returned_other",), r"not DataStreamWriter", "Return the writer: result.writeStream.outputMode(…), not started."),
    Rule(("wrong_elements",), r"not a single value", "Each element is one value, as in the handout: no tuple."),
)


def explain(function: Function, failure: Failure, check: Check | None = None, fixture: Fixture | None = None) -> tuple[Outcome, str, str]:
    """Outcome, what happened and what to try, for a failure of a function on a fixture.

    To try: what the check has for the words of the error, else what the kit has, else what the check has for this kind of failure.
    """
    found, rule = MESSAGES[failure.kind], _rule(function, failure)
    names = {"name": function.name, "text": failure.text, "error": failure.error or "an error", **_called(function, failure, fixture)}
    what = (rule.what if rule and rule.what else found.what).format(**names).strip().removesuffix(":")
    of_words, of_kind = (fitting_words(check, failure), fitting(check, [failure.kind])) if check else ("", "")
    hint = of_words or (rule.hint.format(**names) if rule else of_kind or found.hint.format(**names))
    return found.outcome, _with_step(what, failure), hint


def _rule(function: Function, failure: Failure) -> Rule | None:
    return next((rule for rule in RULES if rule.fits(function, failure)), None)


def _called(function: Function, failure: Failure, fixture: Fixture | None) -> dict[str, str]:
    """How the function is called, and was at the failing step, where the steps say with which arguments."""
    asked = [step for step in fixture.steps if isinstance(step, Ask)] if fixture else []
    if not asked:
        return {"call": function.signature}
    if failure.step is None or not 0 <= failure.step < len(asked):
        return {"call": f"{function.name}({', '.join('…' * len(asked[0].arguments))})"}
    return {"call": function.signature, "name": call(function, asked[failure.step])}


def call(function: Function, step: Ask) -> str:
    """A call with the arguments of a step, as a student would write it; parameters have values of their own."""
    return f"{function.name}({', '.join([*map(repr, step.arguments), *(['…'] if function.parameters else [])])})"


def _with_step(what: str, failure: Failure) -> str:
    if failure.step is None:
        return what
    end = "." if what.endswith(".") else ""
    return f"{what.removesuffix('.')} (at step {failure.step + 1}){end}"


def advice(function: Function, check: Check, difference: Difference) -> str:
    """What to try where the result is different: a hint of the check for this, what columns should be, else a hint for anything."""
    hint = fitting(check, fails(difference))
    if not hint and difference.aspect == "types":
        hint = "Give the column the type that the handout says: cast() changes it."
    if not hint and difference.aspect == "columns":
        hint = f"Name the columns as the handout does: {', '.join(function.columns)}."
    if not hint and difference.aspect == "table":
        hint = "Make the table as the handout does: its name and its primary key."
    return hint or general(check)
