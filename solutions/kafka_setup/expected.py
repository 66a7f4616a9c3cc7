"""What right programs bring about on the brokers, and what known mistakes would."""

import json
import re

from autograder.content.expected import NOT_JSON, handler, kafka, readings, select, structured
from autograder.content.mistakes import but
from autograder.model import Mistake
from autograder.oracle import Aggregate, Each, Query, Topic, valid_name

_DEFAULTS = {"replication": 1, "retention_ms": 604_800_000, "min_insync": 1}  # the broker's
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


def create_topic(fixture, *, forgets=None, compares=("partitions", "replication", "settings"), makes_anew=False, **parameters):
    """The topic as asked for, once."""

    def call(cluster, step, *, topic, partitions, **asked):
        if not valid_name(topic):
            return "invalid"
        asked |= {forgets: _DEFAULTS[forgets]} if forgets else {}
        settings = {"retention.ms": str(asked["retention_ms"]), "min.insync.replicas": str(asked["min_insync"])}
        there, wanted = cluster.describe(topic), Topic(partitions, asked["replication"], settings)
        same = there is not None and all(getattr(there, name) == getattr(wanted, name) for name in compares)
        if there is None or (makes_anew and not same):
            cluster.make_topic(partitions, asked["replication"], settings, topic)
        return "created" if there is None else "unchanged" if same else "different"

    return kafka(fixture, call, **parameters)


def produce(fixture, *, key="station", at="at", unit_ms=1, value=json.dumps, leaves_out=(NOT_JSON,), stops=False, acks="all", **parameters):
    """Every reading that JSON can carry, where enough replicas are in sync."""

    def call(cluster, step, *, topic, give_up_ms):
        sent = 0
        for reading in readings(cluster, step):
            if any(each in leaves_out for each in reading.values()):
                if stops:
                    break
                continue
            time = reading[at] // unit_ms if at else None
            sent += cluster.send(reading[key].encode() if key else None, value(reading).encode(), time, acks=acks)
        return sent

    return kafka(fixture, call, **parameters)


def read_all(fixture, *, begin="earliest", commits=True, tells=True, **parameters):
    """Every record from the committed offset on; how many retention has removed before they were handled."""

    def call(cluster, step, *, topic, group):
        lost = cluster.lost(group)
        cluster.handle(group, *handler(step), begin=begin, commits=commits)
        return lost if tells else 0

    return kafka(fixture, call, **parameters)


def work(fixture, **parameters):
    """Everything once, shared by the members of a group."""
    return kafka(fixture, **parameters)


def _number(text):
    return float(text) if text is not None and _NUMBER.fullmatch(text) else None


def _mean(numbers):
    return sum(numbers) / len(numbers)


def averages(fixture, *, number=_number, aggregate=_mean, drops=True):
    """The running average of what is a number."""

    def parse(row):
        value = number(row["value"])
        return [{"key": row["key"], "number": value}] if value is not None or not drops else []

    def average(rows):
        numbers = [row["number"] for row in rows if row["number"] is not None]
        return aggregate(numbers) if numbers else None

    query = (Each(parse), Aggregate(("key",), {"average": average}), select("key", "average"))
    return structured(Query(query, "update"), fixture)


EMITS = {"create_topic": create_topic, "produce": produce, "read_all": read_all, "work": work, "averages": averages}


def _celsius(reading):
    return json.dumps(reading["celsius"])


def _text(reading):
    return repr(reading).replace(repr(NOT_JSON), "<a thing that JSON cannot carry>")


def _or_zero(text):
    return _number(text) or 0.0


def _whole(text):
    return float(text) if text and re.fullmatch(r"-?\d+", text) else None


def _last(numbers):
    return numbers[-1]


MISTAKES = {
    "create_topic": (
        Mistake("retention_forgotten", "The topic keeps its records for the broker's default time: retention.ms is not set.",
            but(forgets="retention_ms")),
        Mistake("min_insync_forgotten", "min.insync.replicas is not set: one replica is enough for an acknowledgement.",
            but(forgets="min_insync")),
        Mistake("one_replica", "The topic has one replica: with its broker its records are gone.", but(forgets="replication")),
        Mistake("exists_unhandled", "The error that the topic exists is not caught.", failure=("raised", "TopicAlreadyExists")),
        Mistake("invalid_unhandled", "The error that the name is not valid is not caught.", failure=("raised", "InvalidTopic")),
        Mistake("settings_not_compared", "Only partitions are compared, not the settings.", but(compares=("partitions",))),
        Mistake("replication_not_compared", "Partitions and settings are compared, the number of replicas is not.",
            but(compares=("partitions", "settings"))),
        Mistake("not_compared", "A topic that is there is not compared with what is asked for.", but(compares=())),
        Mistake("made_anew", "A topic that differs is deleted and made anew: its records are gone.", but(makes_anew=True)),
    ),
    "produce": (
        Mistake("no_key", "The records have no key, so a station's records lie anywhere.", but(key=None)),
        Mistake("time_of_sending", "The records carry the time of sending, not the event time.", but(at=None)),
        Mistake("seconds", "The timestamp is in seconds; Kafka wants milliseconds.", but(unit_ms=1000)),
        Mistake("repr_not_json", "The value is Python's text of a dict, not JSON.", but(value=_text, leaves_out=())),
        Mistake("value_only", "The value is the temperature alone, not the whole reading.", but(value=_celsius)),
        Mistake("none_left_out", "Readings without a value are left out; JSON writes them as null.", but(leaves_out=(NOT_JSON, None))),
        Mistake("serialisation_unhandled", "The error of a reading that JSON cannot carry is not caught.",
            failure=("raised", "not JSON serializable")),
        Mistake("stops_at_the_first", "What follows a reading that JSON cannot carry is not sent.", but(stops=True)),
        Mistake("too_few_acks", "A record counts as sent before enough replicas have it: acks is not all.", but(acks=1)),
    ),
    "read_all": (
        Mistake("from_the_end", "A new group begins at the end: what was there before is never handled.", but(begin="latest")),
        Mistake("never_commits", "Nothing is committed, so everything comes again.", but(commits=False)),
        Mistake("loss_not_told", "It goes on, but does not say how many records were lost.", but(tells=False)),
    ),
    "work": (),
    "averages": (
        Mistake("cast_fails", "A cast of a text that is no number ends the query.", failure=("raised_at_step", "CAST_INVALID_INPUT")),
        Mistake("nulls_come_out", "A key whose values are no numbers comes out without an average.", but(drops=False)),
        Mistake("as_zero", "What is no number counts as 0.", but(number=_or_zero)),
        Mistake("sums", "This is the sum.", but(aggregate=sum)),
        Mistake("latest", "This is the last value, not the average.", but(aggregate=_last)),
        Mistake("whole_numbers", "Values with a fraction are left out or cut.", but(number=_whole)),
    ),
}
