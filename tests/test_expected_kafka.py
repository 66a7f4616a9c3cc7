"""How the steps of a fixture for Kafka happen on the model of a cluster, and what an expected.py has to add."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from autograder.content import expected
from autograder.content.expected import NOT_JSON, handler, kafka, readings
from autograder.content.fixtures import read_fixture
from autograder.content.kafka_steps import kafka_step
from autograder.model import Call, Drive, Fixture, KitError, StepOutput
from autograder.oracle import Cluster

ROOT = Path(__file__).parent.parent


def fixture(*lines: str) -> Fixture:
    """A fixture of these steps, as they stand in a file."""
    steps = [kafka_step(kind, data, {}, 0) for line in lines for kind, data in json.loads(line).items()]
    return Fixture("f", "a fixture", Drive("kafka", on_brokers=True), {}, tuple(steps), hidden=False)


def told(outputs: tuple[StepOutput, ...]) -> list[list[str] | None]:
    """What the facts of each step are; None where a step tells nothing."""
    return [[row["is"] for row in output.rows] if output.batches else None for output in outputs]


TOPIC = '{"topic": {"partitions": 1}}'
RECORDS = '{"records": [{"key": "a", "value": "1"}, {"value": null}, {"key": "a", "value": "2", "at": 5, "headers": {"h": "å"}}]}'


def consume(cluster: Cluster, step: Call, **_: object) -> str:
    """A program that handles everything."""
    cluster.handle(step.group, *handler(step))
    return "done"


def test_what_a_call_returns_is_a_fact() -> None:
    """By the program's name, as Python writes it; a step that tells nothing has no output."""
    found = kafka(fixture(TOPIC, RECORDS, '{"call": {"name": "first"}}', '{"observe": ["handled"]}'), consume)

    assert found[2].rows == ({"what": "first", "is": "returned 'done'"},)
    assert told(found) == [None, None, ["returned 'done'"], ["3", "0", "0", "0"]]


@pytest.mark.parametrize(
    ("plan", "end", "never"),
    [
        ('{"raises_at": 2}', "raised what the handler raised", "2"),
        ('{"dies_while": 1}', "died where the fixture ends it", "3"),
        ('{"dies_after": 2}', "died where the fixture ends it", "1"),
    ],
)
def test_a_call_that_its_handler_ends(plan: str, end: str, never: str) -> None:
    """Its fact says how, and what comes after is not handled."""
    found = told(kafka(fixture(TOPIC, RECORDS, f'{{"call": {{"handle": {plan}}}}}', '{"observe": ["at_least_once"]}'), consume))

    assert found[2:] == [[end], ["3", never, "0"]]


def test_a_call_whose_handler_does_not_come_that_far_returns() -> None:
    """A member of that kind stays."""
    call, join = (json.dumps({kind: {"handle": {"dies_while": 4}}}) for kind in ("call", "join"))
    found = told(kafka(fixture(TOPIC, RECORDS, call, join, '{"observe": ["members"]}'), consume))

    assert found[2:] == [["returned 'done'"], None, ["1", "1"]]


def test_a_call_is_given_the_functions_parameters() -> None:
    """The step's before the assignment's, the step's group before both; what the function does not take is left out."""

    def call(_: Cluster, step: Call, **given: Any) -> str:
        return " ".join(f"{name}={given[name]}" for name in sorted(given))

    steps = fixture('{"call": {}}', '{"call": {"parameters": {"least": 2, "most": 9, "group": "x"}}}', '{"call": {"group": "audit"}}')

    assert told(kafka(steps, call, least=1, group="archive")) == [
        ["returned 'group=archive least=1'"],
        ["returned 'group=archive least=2'"],
        ["returned 'group=audit least=1'"],
    ]
    assert told(kafka(steps, call, least=1)) == [["returned 'least=1'"], ["returned 'least=2'"], ["returned 'least=1'"]]


def test_a_call_without_a_rule_is_refused() -> None:
    """The author is told what is missing."""
    with pytest.raises(KitError) as caught:
        kafka(fixture('{"call": {}}'))

    assert caught.value.message == "Fixture 'f' calls a function that expected.py has no rule for."
    assert caught.value.hint == "Give it: kafka(fixture, call, **parameters)."


def test_members_come_and_go() -> None:
    """A member that leaves returns None; one that is killed tells nothing; the others handle what is there."""
    join, until = ['{"join": {"name": "A"}}', '{"join": {"name": "B"}}'], '{"until": "handled"}'
    steps = [TOPIC, *join, '{"observe": ["members"]}', RECORDS, until, '{"kill": "A"}', '{"passes": "session timeout"}', RECORDS, until]
    found = kafka(fixture(*steps, '{"leave": "B"}', '{"observe": ["handled", "members"]}'))

    assert told(found[3:4]) == [["2", "1, 0"]]
    assert told(found[4:10]) == [None] * 6
    assert found[10].rows == ({"what": "B", "is": "returned None"},)
    assert told(found[11:]) == [["6", "0", "0", "0", "0", "none"]]


def test_a_member_that_its_handler_ends_is_gone() -> None:
    """It has handled what came before, in its own group."""
    join = '{"join": {"name": "A", "group": "audit", "handle": {"dies_while": 3}}}'
    look = '{"observe": ["handled", "at_least_once", "members"]}'
    found = kafka(fixture(TOPIC, RECORDS, join, '{"until": "handled"}', look), group="archive")

    assert told(found[4:]) == [["2", "1", "0", "0", "3", "3", "0", "0", "none"]]


def test_records_arrive_as_they_stand_in_the_fixture() -> None:
    """Key, value, time and headers, each in UTF-8; a topic with a name has its own. Records of a fixture are kept for ever."""
    other = ['{"topic": {"partitions": 2, "name": "other"}}', '{"records": [{"value": "9", "topic": "other"}]}']
    found = kafka(fixture(TOPIC, RECORDS, *other, '{"observe": ["topic", "values", "times", "headers"]}'), topic="readings")

    assert told(found[4:]) == [
        [
            *("1", "1", "1", "-1", "other"),
            *("1", "2", "no value"),
            *("the time of sending", "the time of sending", "1970-01-01T00:00:00.005Z"),
            "å",
        ]
    ]


def test_brokers_stop_and_retention_removes() -> None:
    """One broker of two is gone: nothing is taken until it is there again."""
    topic = '{"topic": {"partitions": 1, "replication": 2, "settings": {"min.insync.replicas": "2"}}}'
    look = '{"observe": ["offsets"]}'
    for stop in ('{"stop_broker": "follower"}', '{"kill_broker": "leader"}'):
        steps = [topic, stop, RECORDS, look, '{"start_broker": "stopped"}', RECORDS, look]
        found = told(kafka(fixture(*steps, '{"delete_records": {"partition": 0, "before": 2}}', look)))
        assert [each for each in found if each] == [["0"], ["3"], ["1"]]


def test_the_leader_is_killed_before_a_reading() -> None:
    """Readings before it are sent, those from it on are not, where two replicas must have them and one is left."""

    def produce(cluster: Cluster, step: Call) -> str:
        return ", ".join(str(cluster.send(None, reading["name"].encode())) for reading in readings(cluster, step))

    topic = '{"topic": {"partitions": 1, "replication": 2, "settings": {"min.insync.replicas": "2"}}}'
    names = '"readings": [{"name": "a"}, {"name": "b"}, {"name": "c"}]'
    dies = [f'{{"call": {{{names}, "pause_at": 1, "kill_leader": true}}}}', f'{{"call": {{{names}, "pause_at": 1}}}}']

    assert [told(kafka(fixture(topic, call), produce))[1] for call in dies] == [
        ["returned 'True, False, False'"],
        ["returned 'True, True, True'"],
    ]


def test_the_example_in_contributing_runs(tmp_path: Path) -> None:
    """It is a whole expected.py: it emits what the real assignment's does, and its mistake something else."""
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## expected.py for functions on brokers\n")[1].split("\n## ")[0]
    (block,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    path = tmp_path / "expected.py"
    path.write_text(block, encoding="utf-8")
    given = {"topic": "weather", "group": "alarm"}
    resumed = read_fixture(ROOT / "fixtures/kafka_setup/visible/resumed.jsonl", {"partitions": 3, "keys": 4})

    example, real = expected.load(path), expected.load(ROOT / "solutions/kafka_setup/expected.py")
    (mistake,) = example.mistakes["read_all"]
    assert mistake.emits
    right = example.emits["read_all"](resumed, **given)
    assert right == real.emits["read_all"](resumed, **given)
    assert mistake.emits(resumed, **given) != right


def test_what_json_cannot_carry_has_a_name_for_authors() -> None:
    """The word that the programs' side looks for."""
    assert NOT_JSON == "~object"
