"""Words of a check's or a fixture's sentence that claim something of the data, each with what must be there for it to be true.

Only words that can mean one thing stand here: a sentence may say more, and nothing is said of that.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from autograder.authoring import fixture_data as data
from autograder.model import (
    Add,
    Call,
    DeleteRecords,
    Fixture,
    Function,
    Join,
    Kill,
    KillBroker,
    MakeTopic,
    Restart,
    SendRecords,
    StepOutput,
)

_NUMBERS = {"INT", "BIGINT", "DOUBLE"}
_MS, _SECOND = 1_000, 1_000_000


@dataclass(frozen=True)
class Output:
    """What a right program emits on a fixture."""

    function: Function
    steps: Sequence[StepOutput]


@dataclass(frozen=True)
class Phrase:
    """Words, as a pattern, and what shows them: the stream alone, or what is emitted. ``wants`` says what must be there."""

    id: str
    words: str
    wants: str
    in_stream: Callable[[Fixture], bool] | None = None
    in_output: Callable[[Output], bool] | None = None

    def shown_by(self, fixture: Fixture, output: Output | None = None) -> bool:
        """Whether the words are true of a fixture and what is emitted on it."""
        if self.in_stream:
            return self.in_stream(fixture)
        return output is None or self.in_output is None or self.in_output(output)


def claimed(says: str, phrases: Sequence[Phrase]) -> Iterator[tuple[Phrase, str]]:
    """The phrases that stand in a sentence, each with the words themselves."""
    for phrase in phrases:
        found = re.search(rf"\b(?:{phrase.words})", says, re.IGNORECASE)
        if found:
            yield phrase, found[0]


# What arrives.


def _batch_without_rows(fixture: Fixture) -> bool:
    return any(isinstance(step, Add) and not any(step.rows.values()) for step in fixture.steps)


def _a_text(holds: Callable[[str], object]) -> Callable[[Fixture], bool]:
    return lambda fixture: any(holds(text) for text in data.texts(fixture))


def _is_null(column: str) -> Callable[[Fixture], bool]:
    """Whether a cell of the column is null; where no row has the column, any cell."""

    def shown(fixture: Fixture) -> bool:
        rows = [row for arrival in data.arrivals(fixture) for _, row in arrival]
        of_it = [row[column] for row in rows if column in row]
        return None in (of_it or [cell for row in rows for cell in row.values()])

    return shown


def _has(*kinds: type) -> Callable[[Fixture], bool]:
    return lambda fixture: any(isinstance(step, kinds) for step in fixture.steps)


def crashes(fixture: Fixture) -> bool:
    """Whether a program is started again after a crash."""
    return any(isinstance(step, Restart) and step.crash for step in fixture.steps)


def _restarts(fixture: Fixture) -> bool:
    return any(isinstance(step, Restart) and not step.crash for step in fixture.steps)


def crashes_at_once(fixture: Fixture) -> bool:
    """Whether the first batch runs again after a crash."""
    for index, step in enumerate(fixture.steps):
        if isinstance(step, Add) and any(step.rows.values()):
            after = fixture.steps[index + 1 : index + 2]
            return any(isinstance(each, Restart) and each.crash for each in after)
    return False


def _some_program_dies(fixture: Fixture) -> bool:
    ends = any(each.handle.dies_while or each.handle.dies_after or each.kill_leader for each in data.programs(fixture))
    return ends or _has(Kill, KillBroker)(fixture) or crashes(fixture)


def _comes_again(fixture: Fixture) -> bool:
    return crashes(fixture) or len(data.programs(fixture)) > 1 or data.some_come_again(fixture)


def _beside_whole(unit: int) -> Callable[[Fixture], bool]:
    """Whether a time is no whole number of so many microseconds."""

    def shown(fixture: Fixture) -> bool:
        found = [time for name in data.time_columns(fixture) for step in data.times(fixture, name) for time in step]
        return any(time % unit for time in found)

    return shown


def _called_without_records(fixture: Fixture) -> bool:
    """Whether a program runs on a topic with a partition that has no record; also where Kafka alone knows which have some."""
    partitions, filled = 0, set[int | None]()
    for step in fixture.steps:
        match step:
            case MakeTopic(partitions=count, name=None):
                partitions, filled = count, set()
            case SendRecords(records=records):
                filled |= {each.partition for each in records}
            case Call() | Join() if None in filled or len(filled) < partitions:
                return True
    return False


def _has_capital(text: str) -> bool:
    return text != text.lower()


def _has_punctuation(text: str) -> bool:
    return any(word.strip(string.punctuation) != word for word in text.split())


def _is_beyond_ascii(text: str) -> bool:
    return not text.isascii()


def _below_0(fixture: Fixture) -> bool:
    return any(number < 0 for number in data.numbers(data.cells(fixture)))


def _several_rows(fixture: Fixture) -> bool:
    return any(len(arrival) > 1 for arrival in data.arrivals(fixture))


def _two_programs(fixture: Fixture) -> bool:
    return len(data.programs(fixture)) > 1


def _two_groups(fixture: Fixture) -> bool:
    return len({program.group for program in data.programs(fixture)}) > 1


def _raises(fixture: Fixture) -> bool:
    return any(program.handle.raises_at for program in data.programs(fixture))


IN_STREAM: tuple[Phrase, ...] = (
    Phrase("below_0", r"below 0\b|negative", "a number below 0", _below_0),
    Phrase("empty_batch", r"empty batch|batch(es)? without (a |any )?(line|row|record)", "a batch without rows", _batch_without_rows),
    Phrase("empty_text", r"empty text", "a text of no letters", _a_text(lambda text: not text)),
    Phrase(
        "nothing_to_read", r"topic is empty|without records|no records", "a call with no record in a partition", _called_without_records
    ),
    Phrase("without_value", r"null\b|without a value|no value", "a cell that is null", _is_null("value")),
    Phrase("without_key", r"without a (value or a )?key", "a record whose key is null", _is_null("key")),
    Phrase("late", r"late\b", "a row whose time is behind one of an earlier step", data.has_late_row),
    Phrase("comes_again", r"(comes?|came|reported) again|comes? back", "what is there in two steps, or a crash", _comes_again),
    Phrase("equal_rows", r"equal (rows|lines|views)|same rows|twice in a step", "a row that comes twice", data.has_equal_rows),
    Phrase("several", r"several\b|more than one\b", "a step with two rows", _several_rows),
    Phrase("first_batch_again", r"first batch (comes|runs) again", "a crash right after the first batch", crashes_at_once),
    Phrase("crash", r"crash", "a crash", crashes),
    Phrase("restart", r"restart|started again", "a restart", _restarts),
    Phrase("dies", r"killed\b|dies\b", "a program, a broker or a query that dies", _some_program_dies),
    Phrase("raises", r"handler raises", "a handler that raises", _raises),
    Phrase("deleted", r"retention|records are removed", "records that are deleted", _has(DeleteRecords)),
    Phrase("called_twice", r"called (twice|again)|second time", "two calls", _two_programs),
    Phrase("groups", r"two groups|another group", "programs of two groups", _two_groups),
    Phrase("capitals", r"capitals|in lower case", "a capital letter", _a_text(_has_capital)),
    Phrase("punctuation", r"punctuation", "a word with punctuation at an end", _a_text(_has_punctuation)),
    Phrase("white_space", r"white space|double spaces?|tabs?\b", "two spaces together, or a tab", _a_text(re.compile(r"\s\s|\t").search)),
    Phrase("letters", r"beyond ASCII|outside ASCII|other languages|foreign", "a letter that is not ASCII", _a_text(_is_beyond_ascii)),
    Phrase("millisecond", r"a millisecond\b", "a time that is no whole second", _beside_whole(_SECOND)),
    Phrase("microsecond", r"a microsecond\b", "a time that is no whole millisecond", _beside_whole(_MS)),
)


# What is emitted.


def _emits_below_0(output: Output) -> bool:
    """Whether a number below 0 comes out, where numbers do."""
    names = [name for name, kind in output.function.columns.items() if kind in _NUMBERS]
    return not names or any(row[name] is not None and row[name] < 0 for step in output.steps for row in step.rows for name in names)


def _nothing_comes_out(output: Output) -> bool:
    return any(step.batches and not step.rows for step in output.steps)


def _leaves(output: Output) -> bool:
    return data.some_leave(output.steps)


def _forgotten(output: Output) -> bool:
    held = [step.state for step in output.steps if step.state is not None]
    return any(later < before for before, later in pairwise(held)) or _leaves(output)


def _dropped(output: Output) -> bool:
    return any(batch.dropped for step in output.steps for batch in step.batches)


def _ties(output: Output) -> bool:
    """Whether two rows of a step have equal numbers."""
    names = [name for name, kind in output.function.columns.items() if kind in _NUMBERS]
    steps = [[tuple(row[name] for name in names) for row in step.rows] for step in output.steps]
    return any(len(set(found)) < len(found) for found in steps)


IN_OUTPUT: tuple[Phrase, ...] = (
    Phrase("emits_below_0", r"below 0\b|negative", "a number below 0 that comes out", in_output=_emits_below_0),
    Phrase("empty_window", r"empty (window|result)", "an output without rows", in_output=_nothing_comes_out),
    Phrase("leaves", r"(left|leaves?|leaving) (it|the window)|what leaves", "what comes out and later does not", in_output=_leaves),
    Phrase("is_forgotten", r"forgotten|forgets", "what comes out and later does not, or state that shrinks", in_output=_forgotten),
    Phrase("dropped", r"dropped|drops|behind the watermark", "a row that is dropped for being late", in_output=_dropped),
    Phrase("ties", r"equal ones by", "two rows of a step with equal numbers", in_output=_ties),
)
