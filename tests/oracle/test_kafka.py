"""Kafka's rules and the facts made of them, each with what it must not overlook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from autograder.content.fixtures import placed, read_fixture
from autograder.content.kafka_steps import kafka_step
from autograder.judge.evidence import step_list
from autograder.model import Add, KitError, MakeTopic, SendRecords, TopicRecord
from autograder.oracle import Record, Topic, kafka
from tests.conftest import HERE

PLACES = [(0, 0), (0, 1), (1, 0)]


def facts(found: list[kafka.Fact]) -> dict[str, str]:
    return {each["what"]: each["is"] for each in found}


def test_each_record_once_and_in_order() -> None:
    """Two members that share are right; a partition read backwards, a record left out or handled twice is told."""
    right = facts(kafka.handled_facts(PLACES, [[(0, 0), (0, 1)], [(1, 0)]]))
    wrong = facts(kafka.handled_facts(PLACES, [[(0, 1), (0, 0)], [(0, 1)]]))

    assert list(right.values()) == ["3", "0", "0", "0"]
    assert list(wrong.values()) == ["1", "1", "1", "1"]


def test_at_least_once_allows_what_was_not_committed() -> None:
    """Handled again is only told where it was committed before."""
    assert list(facts(kafka.at_least_once_facts(PLACES, PLACES, [])).values()) == ["3", "0", "0"]
    assert list(facts(kafka.at_least_once_facts(PLACES, PLACES[:2], [(0, 0)])).values()) == ["3", "1", "1"]


def test_what_is_no_record_was_not_handled() -> None:
    """A program that says it has handled all that may be there is told so; of a right one there is no such fact."""
    assert kafka.made_up_facts({0: 2, 1: 1}, [[(0, 0), (0, 1)], [(1, 0)]]) == []
    assert list(facts(kafka.made_up_facts({0: 2, 1: 1}, [[(0, 1), (0, 2)], [(0, -1), (2, 0)]])).values()) == ["3"]


def test_offsets_count_from_what_retention_left() -> None:
    """What was removed need not be committed; what was committed and never handled is lost."""
    assert list(facts(kafka.offset_facts("g", {0: 9, 1: 2}, {0: 5}, {0: 3, 1: 2})).values()) == ["4"]
    assert list(facts(kafka.ahead_facts("g", {0: 2}, PLACES, [(0, 0)])).values()) == ["1"]


def test_values_are_compared_as_json() -> None:
    """Spaces, escapes and order do not matter; NaN and Python's own spelling are no JSON."""
    assert kafka.value_text(b'{"b":1, "a":"\\u00e5"}') == kafka.value_text('{"a": "å", "b": 1}'.encode())
    assert kafka.value_text(b"NaN") == "not JSON: NaN"
    assert kafka.value_text(b"{'a': None}") == "not JSON: {'a': None}"
    assert kafka.value_text(b"\xff") == "not JSON: b'\\xff'"
    assert kafka.value_text(None) == "no value"


def test_the_time_of_sending_is_no_time() -> None:
    """A record that carries the wall clock's time is told so, whenever the test runs."""
    now = 1_800_000_000_000
    found = kafka.time_facts([Record(b"k", b"1", 1_000), Record(b"k", b"2", now + 5)], now)

    assert [each["is"] for each in found] == ["1970-01-01T00:00:01.000Z", "the time of sending"]


def test_keys_and_headers() -> None:
    """A key on two partitions is told; without a key a record may lie anywhere."""
    records = [Record(b"a", b"1", 0, 0), Record(b"a", b"2", 0, 1), Record(None, b"3", 0, 1, headers=(("h", b"v"),))]

    assert facts(kafka.key_facts(records)) == {"records with key a": "2", "partitions with key a": "2", "records with key (none)": "1"}
    assert facts(kafka.header_facts(records)) == {"header h of 3": "v"}


def test_topics_and_their_names() -> None:
    """Names as Kafka allows them."""
    assert [kafka.valid_name(name) for name in ("a.b_c-1", "", "..", "å", "a b", "x" * 249, "x" * 250)] == [
        True,
        False,
        False,
        False,
        False,
        True,
        False,
    ]
    assert kafka.topic_facts(None, ["b", "a"])[1]["is"] == "a, b"
    assert facts(kafka.topic_facts(Topic(2, 1, {"x": "1"})))["x"] == "1"


HEADER = '{"fixture": 1, "says": "a fixture", "drive": "kafka", "start": "2024-03-04T10:00:00Z"}\n'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"sleep": 1}', "f.jsonl:2: a step is exactly one of topic, records"),
        ('{"topic": {"partitions": 0}}', "f.jsonl:2: topic.partitions: Input should be greater than or equal to 1"),
        ('{"topic": {"partitions": "=nothing"}}', "f.jsonl:2: 'nothing' is no parameter that counts"),
        ('{"topic": 4}', "f.jsonl:2: topic: Input should be an object"),
        ('{"records": 4}', "f.jsonl:2: records: Input should be a valid array"),
        ('{"records": [{"key": "a"}, {"key": 1}]}', "f.jsonl:2: records.2.key: Input should be a valid string"),
        ('{"observe": ["everything"]}', "f.jsonl:2: observe.1: Input should be 'topic'"),
        ('{"stop_broker": "all"}', "f.jsonl:2: stop_broker: Input should be 'leader' or 'follower'"),
        ('{"call": {"handle": {"sleeps": 1}}}', "f.jsonl:2: call.handle.sleeps: there is no field of this name"),
        (
            '{"draw_records": {"seed": 1, "count": 1, "keys": ["a"], "first": 2, "partitions": 1, "value": {}}}',
            "f.jsonl:2: first is 2, but",
        ),
        ("[1]", "f.jsonl:2: a step is exactly one of"),
    ],
)
def test_a_kafka_fixture_is_refused(tmp_path: Path, line: str, message: str) -> None:
    """What may not stand in a fixture is named with its line, in the fixture's own words."""
    path = tmp_path / "f.jsonl"
    path.write_text(HEADER + line + "\n")

    with pytest.raises(KitError) as caught:
        read_fixture(path, {"partitions": 4})
    assert message in caught.value.message
    assert caught.value.hint == "See CONTRIBUTING.md for what may stand in a fixture."


def test_numbers_and_times_are_filled_in() -> None:
    """``=`` counts, ``@`` is a time in ms, also inside of lists; any other text stays."""
    start = 1_709_546_400_000_000
    record = {"key": "a", "value": "1 = 1", "at": "@ + 1 s"}

    assert kafka_step("topic", {"partitions": "=partitions + 1"}, {"partitions": 4}, start) == MakeTopic(5)
    assert kafka_step("records", [record], {}, start) == SendRecords((TopicRecord(None, "a", "1 = 1", None, 1_709_546_401_000),))


def test_drawn_records() -> None:
    """A second apart, of the first keys alone, a key on one partition; another seed draws others, the same seed the same."""
    data = {
        "seed": 1, "count": 20, "keys": ["a", "b", "c"], "first": "=few", "partitions": 2,
        "value": {"station": "key", "number": "index", "celsius": {"between": [3, 4]}},
    }  # fmt: skip
    found = kafka_step("draw_records", data, {"few": 2}, 5_000_000)
    assert isinstance(found, SendRecords)
    values = [json.loads(record.value or "") for record in found.records]

    assert {(record.key, record.partition) for record in found.records} == {("a", 0), ("b", 1)}
    assert [record.at for record in found.records] == [5_000 + 1_000 * number for number in range(20)]
    assert [list(value.values())[:2] for value in values] == [[record.key, number] for number, record in enumerate(found.records)]
    assert {value["celsius"] for value in values} == {3, 4}
    assert kafka_step("draw_records", data, {"few": 2}, 5_000_000) == found
    assert kafka_step("draw_records", data, {"few": 2}, 5_000_000, seed=1) != found
    assert {record.key for record in everything(data).records} == {"a", "b", "c"}


def everything(data: dict[str, object]) -> SendRecords:
    """What is drawn of all keys."""
    found = kafka_step("draw_records", {name: value for name, value in data.items() if name != "first"}, {}, 0)
    assert isinstance(found, SendRecords)
    return found


def test_every_step_has_words(tmp_path: Path) -> None:
    """A student reads each step as a sentence."""
    lines = [
        '{"topic": {"partitions": "=partitions + 1", "name": "other"}}',
        '{"records": [{"key": "a", "value": "1", "at": "@ + 1 s", "topic": "other"}]}',
        '{"draw_records": {"seed": 1, "count": 9, "keys": ["b"], "value": {"number": "index"}, "partitions": 2}}',
        '{"call": {"handle": {"dies_after": 2}, "readings": [{"at": "@"}], "pause_at": 0, "kill_leader": true}}',
        '{"join": {"name": "A", "group": "g"}}', '{"leave": "A"}', '{"kill": "A"}', '{"until": "handled"}', '{"passes": "session timeout"}',
        '{"delete_records": {"partition": 0, "before": 2}}', '{"stop_broker": "follower"}', '{"kill_broker": "leader"}',
        '{"start_broker": "stopped"}', '{"observe": ["at_least_once"]}',
    ]  # fmt: skip
    path = tmp_path / "f.jsonl"
    path.write_text(HEADER + "\n".join(lines) + "\n")

    found = read_fixture(path, {"partitions": 4})
    assert step_list(found) == (
        "1  there is a topic other with 5 partitions, 1 replica",
        "2  1 record arrives: a: 1 of other",
        '3  9 records arrive: b: {"number": 0} in partition 0, b: {"number": 1} in partition 0, '
        'b: {"number": 2} in partition 0, …, b: {"number": 8} in partition 0',
        "4  your function is called; 1 reading: (2024-03-04T10:00:00Z); at its record 2 the process is killed after handling it; "
        "the leader is killed before reading 1",
        "5  A starts in group g",
        "6  A is told to stop: running() is False",
        "7  A is killed (SIGKILL)",
        "8  until every record is handled",
        "9  the session timeout passes",
        "10  retention removes the records of partition 0 before offset 2",
        "11  the broker of the partition's follower stops",
        "12  the broker of the partition's leader is killed",
        "13  the broker is there again",
        "14  look at: at least once",
    )


RECORDS = """{"fixture": 1, "says": "drawn records", "drive": "step", "sources": {"records": "topic STRING, partition INT, offset BIGINT"}}
{"draw": {"source": "records", "seed": 1, "steps": 3, "rows": [6, 6], "columns": {"topic": {"choice": ["a"]}, "partition": {"between": [0, 1]}, "offset": {"between": [3, 9]}}}}
{"draw": {"source": "records", "seed": 1, "steps": 1, "rows": [6, 6], "columns": {"topic": {"choice": ["a"]}, "partition": {"between": [0, 1]}, "offset": {"between": [3, 9]}}}}
"""


def test_drawn_records_have_places_of_their_own(tmp_path: Path) -> None:
    """No two have one topic, partition and offset, also where two lines draw them; the next offset that is free is taken."""
    path = tmp_path / "drawn.jsonl"
    path.write_text(RECORDS)

    rows = [row for step in read_fixture(path, {}).steps if isinstance(step, Add) for row in step.rows["records"]]

    assert len(rows) == 24
    assert len({tuple(row.values()) for row in rows}) == 24
    places: set[tuple[Any, ...]] = set()
    drawn = [placed({"topic": "a", "partition": 0, "offset": offset}, places)["offset"] for offset in (3, 3, 4, 3)]
    assert drawn == [3, 4, 5, 6]
    assert placed({"partition": 0, "offset": 3}, places) == {"partition": 0, "offset": 3}


@pytest.mark.parametrize("seed", range(20))
def test_records_that_students_get_have_places_of_their_own(seed: int) -> None:
    """In the assignment's own fixture, whatever a student's seed."""
    fixture = read_fixture(HERE.parent / "fixtures/kafka_setup/hidden/many_values.jsonl", {}, seed)
    rows = [row for step in fixture.steps if isinstance(step, Add) for row in step.rows["records"]]

    assert len({(row["topic"], row["partition"], row["offset"]) for row in rows}) == len(rows)
