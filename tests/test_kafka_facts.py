"""What differs on brokers is told in the words of Kafka, not as rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.judge import evidence, kafka_facts
from autograder.judge.hints import fails
from autograder.model import Difference, Function
from autograder.oracle import kafka
from autograder.oracle.kafka import Fact, Record, Topic, fact

HANDLED = [(0, 0), (0, 1), (1, 0)]
SETTINGS = {"retention.ms": "60000"}
#: A wall clock far from the records' times.
_NOW = 1_700_000_000_000


def handled(*programs: list[tuple[int, int]]) -> list[Fact]:
    """The facts of programs that handled records at these places, of three that there are."""
    return kafka.handled_facts(HANDLED, programs)


def records(*values: bytes, key: bytes | None = b"Oslo", at: int = 0) -> list[Record]:
    """Records of one key in one partition."""
    return [Record(key, value, at, 0, offset) for offset, value in enumerate(values)]


ALL = handled(HANDLED)
#: The facts that should be, those that are, the sentence, and what a hint may be for.
CASES: list[tuple[list[Fact], list[Fact], str, tuple[str, ...]]] = [
    (ALL, handled(HANDLED, HANDLED), "3 records were handled more than once", ("handled_again",)),
    (
        ALL,
        handled([(0, 0), (0, 1)], [(0, 0)]),
        "1 record was never handled; 1 record was handled more than once",
        ("unhandled", "handled_again"),
    ),
    (ALL, handled([(0, 1), (0, 0), (1, 0)]), "in 1 of the partitions records were handled out of order", ()),
    (handled([]), ALL, "records never handled = 0, not 3", ()),
    (
        [fact("alarm: records never handled", 0), fact("map: records never handled", 0)],
        [fact("alarm: records never handled", 2), fact("map: records never handled", 1)],
        "2 records were never handled in group alarm; 1 record was never handled in group map",
        ("unhandled",),
    ),
    (
        kafka.at_least_once_facts(HANDLED, HANDLED, []),
        kafka.at_least_once_facts(HANDLED, HANDLED, HANDLED[:1]),
        "1 record was handled again although committed",
        ("handled_again",),
    ),
    (
        kafka.at_least_once_facts(HANDLED, HANDLED, []),
        kafka.at_least_once_facts(HANDLED[:2], HANDLED, []),
        "the topic has 2 records, not 3",
        (),
    ),
    (
        kafka.offset_facts("a", {0: 3}, {}, {0: 3}),
        kafka.offset_facts("a", {0: 3}, {}, {0: 2}),
        "1 record is not committed",
        ("uncommitted",),
    ),
    (
        kafka.offset_facts("a", {0: 3}, {}, {0: 1}),
        kafka.offset_facts("a", {0: 3}, {}, {0: 3}),
        "0 records are not committed, where 2 should be left",
        ("uncommitted",),
    ),
    (
        kafka.ahead_facts("a", {}, HANDLED, []),
        kafka.ahead_facts("a", {0: 2}, HANDLED, []),
        "2 records were committed and never handled",
        ("lost",),
    ),
    (
        kafka.member_facts([2, 2]),
        kafka.member_facts([4]),
        "members of the group = 1, not 2; partitions of each member = 4, not 2, 2",
        (),
    ),
    (
        kafka.different_facts([b"1", b"2", b"3"]),
        kafka.different_facts([b"1"]),
        "2 of 3 readings are not in the topic",
        (),
    ),
    (kafka.different_facts([b"1"]), kafka.different_facts([b"1", b"2"]), "the topic has 2 different readings, not 1", ()),
    ([], kafka.made_up_facts({0: 2}, [[(0, 7)]]), "1 of the things that it says it handled are no records", ()),
    ([fact("program", "returned 3")], [fact("program", "returned 2")], "it returned 2, not 3", ("returned",)),
    (
        [fact("A", "returned None")],
        [fact("A", "did not end when running() said so")],
        "A did not end when running() said so, and should have returned None",
        ("returned",),
    ),
    (
        kafka.topic_facts(Topic(4, 3, SETTINGS)),
        kafka.topic_facts(Topic(3, 3, SETTINGS), ["logs"]),
        "partitions = 3, not 4; other topics made = logs, not none",
        (),
    ),
    (kafka.topic_facts(Topic(4, 3, SETTINGS)), kafka.topic_facts(None), "the topic does not exist", ()),
    (kafka.key_facts(records(b"1", b"2")), kafka.key_facts(records(b"1", b"2", key=None)), "2 records have no key", ()),
    (
        kafka.key_facts(records(b"1", b"2")),
        kafka.key_facts([*records(b"1"), Record(b"Oslo", b"2", 0, partition=1)]),
        "the records with key Oslo lie on 2 partitions",
        (),
    ),
    (kafka.key_facts(records(b"1", b"2")), kafka.key_facts(records(b"1")), "1 record has the key Oslo, not 2", ()),
    (
        kafka.value_facts(records(b'{"a": 1}')),
        kafka.value_facts(records(b"{'a': 1}")),
        "1 value in the topic is no JSON, such as {'a': 1}; 1 value is not in the topic, such as {\"a\": 1}",
        (),
    ),
    (kafka.value_facts(records(b"1", b"2", b"3")), kafka.value_facts(records(b"1")), "2 values are not in the topic, such as 2", ()),
    (
        kafka.time_facts(records(b"1", at=1000), _NOW),
        kafka.time_facts(records(b"1", at=2000), _NOW),
        "1 record has another time: 1970-01-01T00:00:02.000Z, not 1970-01-01T00:00:01.000Z, for 1",
        (),
    ),
    (
        kafka.time_facts(records(b"1", at=1000), _NOW),
        kafka.time_facts(records(b"2", at=1000), _NOW),
        "1 value in the topic is not expected, such as 2; 1 value is not in the topic, such as 1",
        (),
    ),
    (
        kafka.order_facts(records(b"1", b"2")),
        kafka.order_facts(records(b"2", b"1")),
        "the records of 1 key are in another order, such as those of Oslo",
        (),
    ),
    (
        kafka.order_facts(records(b"1", b"2")),
        kafka.order_facts(records(b"1", b"3")),
        "1 record is not as expected; Oslo, record 2 = 3, not 2",
        (),
    ),
]


def difference(want: list[Fact], got: list[Fact]) -> Difference:
    """What of the facts is missing, and what is not expected."""
    return Difference(0, "rows", tuple(f for f in want if f not in got), tuple(f for f in got if f not in want), tuple(want), tuple(got))


@pytest.mark.parametrize(("want", "got", "says", "kinds"), CASES, ids=[case[2][:50] for case in CASES])
def test_facts_that_differ(want: list[Fact], got: list[Fact], says: str, kinds: tuple[str, ...]) -> None:
    """The most telling first, and what a hint may be for."""
    found = difference(want, got)

    assert evidence.sentence(found) == f"Step 1: {says}."
    assert fails(found)[:-1] == kinds


def test_many_facts_are_counted() -> None:
    """Two are told."""
    found = difference([fact(f"setting {n}", 1) for n in range(5)], [fact(f"setting {n}", 2) for n in range(5)])

    assert evidence.sentence(found) == "Step 1: setting 0 = 2, not 1; setting 1 = 2, not 1; and 3 more."


def test_rows_are_no_facts() -> None:
    """They are counted as rows, also where one of them looks like a fact."""
    rows = ({"what": "x", "is": "y"}, {"page": "a"})

    assert not kafka_facts.told(rows, ())
    assert evidence.sentence(Difference(0, "rows", missing=rows)) == "Step 1: 2 rows missing."


def test_evidence_has_facts_as_lines(toy: object) -> None:
    """What a fact is about, and how that is: no tuple."""
    facts = (fact("records never handled", 2),)

    assert evidence._texts(Function("f", "kafka"), facts) == ("records never handled: 2",)


FACTS = st.lists(
    st.builds(
        fact,
        st.sampled_from(["program", "records never handled", "a value", "time of 1", "the topic", "x, record 1"]) | st.text(),
        st.text(),
    )
)


@given(FACTS, FACTS)
def test_any_facts_can_be_told(want: list[Fact], got: list[Fact]) -> None:
    """Topics and return values hold what a submission puts there: a sentence stays short, and there is one for each difference."""
    told = kafka_facts.told(want, got)

    assert bool(told) == bool(want or got)
    assert len(told) < 1000
