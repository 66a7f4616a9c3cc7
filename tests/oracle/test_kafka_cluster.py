"""The rules of the model of a Kafka cluster, one each."""

from __future__ import annotations

from typing import get_args

import pytest

from autograder.model import Look
from autograder.oracle import Cluster, StoppedError


def cluster(*counts: int, group: str = "group") -> Cluster:
    """A topic with so many records in each partition."""
    found = Cluster(group=group)
    found.make_topic(len(counts))
    for partition, count in enumerate(counts):
        for number in range(count):
            found.send(b"key", str(number).encode(), partition=partition)
    return found


def facts(found: Cluster, *names: str) -> dict[str, str]:
    return {each["what"]: each["is"] for each in found.observe(names)}


def times(found: Cluster) -> tuple[str, ...]:
    """How many records were handled once, never and more than once, and how many partitions out of order."""
    return tuple(facts(found, "handled").values())


def uncommitted(found: Cluster) -> str:
    (lag,) = facts(found, "offsets").values()
    return lag


# Topics.


def test_a_topic_has_the_brokers_defaults() -> None:
    """A setting that nobody gives is the broker's; what another topic has is that one's own."""
    found = Cluster("readings")
    found.make_topic(4, 3, {"retention.ms": "1000"})
    found.make_topic(1, name="other")

    assert facts(found, "topic") == {
        "partitions": "4",
        "replication factor": "3",
        "min.insync.replicas": "1",
        "retention.ms": "1000",
        "other topics made": "other",
    }
    other = found.describe("other")
    assert other is not None
    assert other.settings["retention.ms"] == "604800000"


def test_a_topic_that_is_not_there() -> None:
    """It can be looked at, and not be written to or read."""
    found = Cluster("readings")

    assert facts(found, "topic") == {"the topic": "does not exist", "other topics made": "none"}
    assert found.describe() is None
    with pytest.raises(ValueError, match=r"^there is no topic 'readings'$"):
        found.send(b"a", b"1")
    with pytest.raises(ValueError, match=r"^there is no topic 'other'$"):
        found.send(b"a", b"1", topic="other")


def test_a_topic_made_anew_has_no_records() -> None:
    """Its records are gone with it."""
    found = cluster(3)
    found.make_topic(1)

    assert found.records == []


# Producers.


def test_a_key_lies_on_one_partition() -> None:
    """Equal keys share one, whichever; a partition that is given is taken, and offsets count within it."""
    found = cluster(0, 0, 0)
    for key in (b"a", b"b", b"a", b"c", b"a"):
        found.send(key, b"1")
    found.send(b"d", b"1", partition=2)
    found.send(b"d", b"2", partition=1)

    assert facts(found, "keys")["partitions with key a"] == "1"
    assert facts(found, "keys")["partitions with key d"] == "2"
    offsets = [record.offset for record in found.records if record.key == b"a"]
    assert offsets == sorted(set(offsets))
    assert facts(found, "order")["d, record 1"] == "2"


def test_a_record_without_a_time_has_that_of_sending() -> None:
    """Also beside one that has a time of its own, be it the first there is."""
    found = cluster(0)
    found.send(b"a", b"1", 1_000)
    found.send(b"a", b"2")
    found.send(b"a", b"3", 0)

    assert list(facts(found, "times").values()) == ["1970-01-01T00:00:01.000Z", "the time of sending", "1970-01-01T00:00:00.000Z"]


def test_values_headers_and_other_topics() -> None:
    """What is looked at is the one topic."""
    found = cluster(0)
    found.make_topic(1, name="other")
    found.send(None, b"[1]", headers=[("h", b"v")])
    found.send(None, b"[ 1 ]")
    found.send(None, b"2", topic="other")

    assert facts(found, "headers", "different", "keys") == {
        "header h of [1]": "v",
        "different readings in the topic": "1",
        "records with key (none)": "2",
    }
    assert [each["is"] for each in found.observe(["values"])] == ["[1]", "[1]"]


@pytest.mark.parametrize(
    ("replication", "least", "stopped", "taken"),
    [(3, 2, 0, True), (3, 2, 1, True), (2, 2, 1, False), (2, 1, 1, True), (1, 2, 0, True), (1, 1, 1, False)],
)
def test_a_record_is_taken_while_enough_replicas_are_in_sync(replication: int, least: int, stopped: int, taken: bool) -> None:
    """min.insync.replicas of them, or all where there are fewer."""
    found = Cluster()
    found.make_topic(1, replication, {"min.insync.replicas": str(least)})
    for _ in range(stopped):
        found.stop_broker()

    assert found.send(b"a", b"1") == taken
    assert len(found.records) == taken


def test_acks_1_acknowledges_what_no_consumer_sees() -> None:
    """The leader alone has it; once the other broker is there again records are taken."""
    found = Cluster()
    found.make_topic(1, 2, {"min.insync.replicas": "2"})
    found.stop_broker()

    assert found.send(b"a", b"1", acks=1)
    assert found.records == []
    found.start_broker()
    assert found.send(b"a", b"2")
    assert [record.value for record in found.records] == [b"2"]


# Consumers.


def test_what_is_handled_is_committed() -> None:
    """A new group begins with the earliest record, and handles nothing a second time."""
    found = cluster(2, 3)
    assert (times(found), uncommitted(found)) == (("0", "5", "0", "0"), "5")
    found.handle()
    found.handle()
    assert (times(found), uncommitted(found)) == (("5", "0", "0", "0"), "0")
    found.send(b"key", b"9", partition=0)
    assert (times(found), uncommitted(found)) == (("5", "1", "0", "0"), "1")
    found.handle()
    assert (times(found), uncommitted(found)) == (("6", "0", "0", "0"), "0")


def test_the_handler_stops_a_program_before_it_handles_a_record() -> None:
    """What was handled before it is committed, and nothing else; the next program goes on there."""
    found = cluster(2, 3)
    with pytest.raises(StoppedError):
        found.handle(stops_at=3)
    assert (times(found), uncommitted(found)) == (("2", "3", "0", "0"), "3")
    found.handle()
    assert times(found) == ("5", "0", "0", "0")


def test_the_handler_stops_a_program_after_it_handled_a_record() -> None:
    """That record is not committed, so that it is handled again, and none is missed."""
    found = cluster(2, 3)
    with pytest.raises(StoppedError):
        found.handle(stops_after=3)
    assert (times(found), uncommitted(found)) == (("3", "2", "0", "0"), "3")
    found.handle()
    assert times(found) == ("4", "0", "1", "0")
    assert list(facts(found, "at_least_once").values()) == ["5", "0", "0"]


def test_a_program_with_fewer_records_is_not_stopped() -> None:
    """The handler counts to its number, and does not come that far."""
    before, after = cluster(3), cluster(3)
    before.handle(stops_at=4)
    after.handle(stops_after=4)

    assert (times(before), uncommitted(before)) == (times(after), uncommitted(after)) == (("3", "0", "0", "0"), "0")


def test_a_program_that_does_not_commit_handles_everything_again() -> None:
    """Each time in order: a program that begins again goes not back. And its group has committed nothing."""
    found = cluster(3)
    found.handle(commits=False)
    found.handle(commits=False)

    assert (times(found), uncommitted(found)) == (("0", "0", "3", "0"), "3")


def test_a_group_that_begins_at_the_end() -> None:
    """It misses what was there before; where something is committed it goes on there all the same."""
    new, old = cluster(3), cluster(3)
    old.commit(0, 1)
    for found in (new, old):
        found.handle(begin="latest")

    assert times(new) == ("0", "3", "0", "0")
    assert times(old) == ("2", "1", "0", "0")


def test_what_is_committed_and_not_handled_is_lost() -> None:
    """A commit ahead of the handler is told as such."""
    found = cluster(3)
    assert facts(found, "ahead") == {"records that group group committed and nobody handled": "0"}
    found.commit(0, 2)
    assert facts(found, "ahead") == {"records that group group committed and nobody handled": "2"}
    found.handle()
    assert times(found) == ("1", "2", "0", "0")


def test_retention_removes_records() -> None:
    """They cannot be read; who had committed less has lost some, who had committed nothing has not begun."""
    found = cluster(4, 2)
    with pytest.raises(StoppedError):
        found.handle("early", stops_at=3)
    found.delete_records(0, 3)

    assert [record.value for record in found.records] == [b"3", b"0", b"1"]
    assert (found.lost("early"), found.lost()) == (1, 0)
    assert uncommitted(found) == "3"
    found.handle("early")
    assert found.lost("early") == 0
    assert found.send(b"key", b"9", partition=0)
    assert found.records[-1].offset == 4


def test_each_group_handles_everything() -> None:
    """Where there are several their facts have their names; offsets are those of the group that is looked at."""
    found = cluster(2, group="a")
    found.handle("b")
    with pytest.raises(StoppedError):
        found.handle("a", stops_at=2)

    assert facts(found, "handled") == {
        **{f"b: {what}": number for what, number in zip(KINDS, ("2", "0", "0", "0"), strict=True)},
        **{f"a: {what}": number for what, number in zip(KINDS, ("1", "1", "0", "0"), strict=True)},
    }
    assert facts(found, "offsets") == {"records that group a has not committed": "1"}


KINDS = ("records handled once", "records never handled", "records handled more than once", "partitions handled out of order")


# Members.


@pytest.mark.parametrize(
    ("members", "shares"), [("", "none"), ("A", "5"), ("AB", "3, 2"), ("ABC", "2, 2, 1"), ("ABCDEF", "1, 1, 1, 1, 1, 0")]
)
def test_members_share_the_partitions(members: str, shares: str) -> None:
    """Their shares differ by one at most; a member more than there are partitions has none. Other groups' members do not count."""
    found = cluster(0, 0, 0, 0, 0)
    found.join("other", "other")
    for name in members:
        found.join(name)

    assert facts(found, "members") == {"members of the group": str(len(members)), "partitions of each member": shares}


def test_members_handle_everything_once() -> None:
    """Two members of a group share; when one has left the other goes on; without a member nothing is handled."""
    found = cluster(3, 2)
    found.join("A")
    found.join("B")
    found.members_handle()
    assert times(found) == ("5", "0", "0", "0")
    found.leave("A")
    found.send(b"key", b"9")
    found.members_handle()
    assert times(found) == ("6", "0", "0", "0")
    found.leave("B")
    found.send(b"key", b"9")
    found.members_handle()
    assert times(found) == ("6", "1", "0", "0")


def test_everything_that_a_fixture_may_observe_has_its_facts() -> None:
    """The names are those of the model, and each tells something."""
    found = cluster(1)
    found.send(b"a", b"1", headers=[("h", b"v")])

    for name in get_args(Look):
        assert found.observe([name]), name
