"""What right programs bring about on the broker, and what known mistakes would."""

import json
import re
import zlib
from dataclasses import replace

from autograder.content.expected import kafka, structured
from autograder.model import Mistake
from autograder.oracle import Aggregate, Each, Query, Record, Topic
from autograder.oracle import kafka as logs
from autograder.untrusted.kafka_program import NOT_JSON

_DEFAULTS = {"retention.ms": "604800000", "min.insync.replicas": "1"}
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


class _World:
    """A topic, its records and what a group has handled and committed, changed by a fixture's events and by a program's calls."""

    def __init__(self, call, group=""):
        self.call, self.group = call, group
        self.topic, self.records, self.starts = None, [], {}
        self.handled, self.committed, self.members = {}, {}, {}
        self.in_sync = 1

    def tell(self, event):
        return getattr(self, f"_{event.kind}")(event.data)

    # what happens

    def _topic(self, data):
        self.topic = Topic(data["partitions"], data["replication"], {**_DEFAULTS, "retention.ms": "-1", **data["settings"]})
        self.in_sync = data["replication"]

    def append(self, key, value, at, partition=None):
        where = zlib.crc32(key or b"") % self.topic.partitions if partition is None else partition
        offset = sum(record.partition == where for record in self.records)
        self.records.append(Record(key, value, at, where, offset))

    def _records(self, data):
        for each in data:
            self.append(each["key"].encode(), each["value"].encode(), each["at"], each["partition"])

    def _call(self, data):
        return self.call(self, data)

    def _join(self, data):
        if data["handle"]["dies_while"]:
            self.handle(self.group, data["handle"]["dies_while"] - 1)
        else:
            self.members[data["name"]] = data["group"] or self.group

    def _leave(self, name):
        self.members.pop(name)
        return [logs.fact(name, "returned None")]

    def _kill(self, name):
        self.members.pop(name)

    def _passes(self, _):
        return None

    def _until(self, _):
        for group in set(self.members.values()):
            self.handle(group)

    def _delete_records(self, data):
        self.starts[data["partition"]] = data["before"]

    def _stop_broker(self, _):
        self.in_sync -= 1

    def _kill_broker(self, _):
        self.in_sync -= 1

    def _start_broker(self, _):
        self.in_sync += 1

    # what a right consumer does

    def places(self):
        return [(r.partition, r.offset) for r in self.records if r.offset >= self.starts.get(r.partition, 0)]

    def handle(self, group, most=None):
        """Handle and commit what is not committed, at most so many records."""
        done, committed = self.handled.setdefault(group, []), self.committed.setdefault(group, {})
        todo = [place for place in sorted(self.places()) if place[1] >= committed.get(place[0], 0)]
        for place in todo[:most]:
            done.append(place)
            committed[place[0]] = place[1] + 1

    # what is seen

    def _look(self, names):
        return [found for name in names for found in getattr(self, f"_look_{name}")()]

    def _look_topic(self):
        return logs.topic_facts(self.topic)

    def _look_keys(self):
        return logs.key_facts(self.records)

    def _look_values(self):
        return logs.value_facts(self.records)

    def _look_order(self):
        return logs.order_facts(self.records)

    def _look_times(self):
        facts = logs.time_facts([replace(record, at=record.at or 0) for record in self.records])
        return facts if all(record.at for record in self.records) else [{**each, "is": "the time of sending"} for each in facts]

    def _look_different(self):
        return logs.different_facts(record.value for record in self.records)

    def _look_handled(self):
        if len(self.handled) < 2:
            return logs.handled_facts(self.places(), list(self.handled.values()))
        found = [(group, logs.handled_facts(self.places(), [done])) for group, done in self.handled.items()]
        return [logs.fact(f"{group}: {each['what']}", each["is"]) for group, facts in found for each in facts]

    def _look_at_least_once(self):
        return logs.at_least_once_facts(self.places(), self.handled.get(self.group, ()), ())

    def _look_offsets(self):
        ends = {}
        for record in self.records:
            ends[record.partition] = record.offset + 1
        return logs.offset_facts(self.group, ends, self.starts, self.committed.get(self.group, {}))

    def _look_ahead(self):
        return logs.ahead_facts(self.group, {}, (), ())

    def _look_members(self):
        count = sum(group == self.group for group in self.members.values())
        partitions = self.topic.partitions
        return logs.member_facts(partitions // count + (number < partitions % count) for number in range(count))


def create_topic(fixture, *, topic, partitions, replication, retention_ms, min_insync, wrong=frozenset()):
    """The topic as asked for, once."""

    def call(world, data):
        given = {"topic": topic, "partitions": partitions, "replication": replication, "retention_ms": retention_ms, "min_insync": min_insync}
        given |= data["parameters"]
        settings = {"retention.ms": str(given["retention_ms"]), "min.insync.replicas": str(given["min_insync"])}
        for name in settings:
            if name in wrong:
                settings[name] = _DEFAULTS[name]
        asked = Topic(given["partitions"], 1 if "replication" in wrong else given["replication"], settings)
        if not logs.valid_name(given["topic"]):
            return [logs.fact("program", "returned 'invalid'")]
        if world.topic is None:
            world.topic = asked
            return [logs.fact("program", "returned 'created'")]
        same = all(getattr(world.topic, name) == getattr(asked, name) for name in ("partitions", "replication", "settings") if name not in wrong)
        if "made anew" in wrong:
            world.topic = asked
        return [logs.fact("program", f"returned '{'unchanged' if same else 'different'}'")]

    return kafka(fixture, _World(call).tell)


def produce(fixture, *, topic, give_up_ms, wrong=frozenset()):  # noqa: ARG001
    """Every reading that JSON can carry, where enough replicas are in sync."""

    def call(world, data):
        sent = 0
        for reading in data["readings"]:
            if NOT_JSON in reading.values():
                if "stops" in wrong:
                    break
                continue
            if "None left out" in wrong and None in reading.values():
                continue
            needed = int(world.topic.settings["min.insync.replicas"])
            if world.in_sync < min(needed, world.topic.replication):
                sent += "acks" in wrong  # on one replica, where no consumer sees it
                continue
            sent += 1
            at = reading["at"] // 1000 if "seconds" in wrong else None if "now" in wrong else reading["at"]
            value = repr(reading) if "repr" in wrong else json.dumps(reading["celsius"] if "celsius" in wrong else reading)
            world.append(None if "no key" in wrong else reading["station"].encode(), value.encode(), at)
        return [logs.fact("program", f"returned {sent}")]

    return kafka(fixture, _World(call).tell)


def read_all(fixture, *, topic, group, wrong=frozenset()):
    """Every record from the committed offset on."""

    def call(world, data):
        plan = data["handle"]
        committed = world.committed.get(group, {})
        lost = sum(max(0, start - committed[partition]) for partition, start in world.starts.items() if partition in committed)
        most = plan["raises_at"] - 1 if plan["raises_at"] else plan["dies_while"] - 1 if plan["dies_while"] else plan["dies_after"] or None
        if "never commits" in wrong:
            world.committed.pop(group, None)
        if "from the end" not in wrong:
            world.handle(group, most)
        if "never commits" in wrong:
            world.committed.pop(group, None)
        end = "raised what the handler raised" if plan["raises_at"] else "died where the fixture ends it" if most else f"returned {0 if 'lost' in wrong else lost}"
        return [logs.fact(data["name"], end)]

    return kafka(fixture, _World(call, group).tell)


def work(fixture, *, topic, group):
    """Everything once, shared by the members of a group."""
    return kafka(fixture, _World(None, group).tell)


def averages(fixture, *, number=None, aggregate=None, drop=True):
    """The running average of what is a number."""
    number = number or (lambda text: float(text) if text is not None and _NUMBER.fullmatch(text) else None)

    def parse(row):
        value = number(row["value"])
        return [{"key": row["key"], "number": value}] if value is not None or not drop else []

    def mean(rows):
        values = [row["number"] for row in rows if row["number"] is not None]
        return (aggregate or (lambda found: sum(found) / len(found)))(values) if values else None

    shape = Each(lambda row: [{"key": row["key"], "average": row["average"]}])
    return structured(Query((Each(parse), Aggregate(("key",), {"average": mean}), shape), "update"), fixture)


EMITS = {"create_topic": create_topic, "produce": produce, "read_all": read_all, "work": work, "averages": averages}


def _with(function, *wrong):
    return lambda fixture, **parameters: function(fixture, **parameters, wrong=frozenset(wrong))


def _averages(**changes):
    return lambda fixture: averages(fixture, **changes)


MISTAKES = {
    "create_topic": (
        Mistake("retention_forgotten", "The topic keeps its records for the broker's default time: retention.ms is not set.", emits=_with(create_topic, "retention.ms")),
        Mistake("min_insync_forgotten", "min.insync.replicas is not set: one replica is enough for an acknowledgement.", emits=_with(create_topic, "min.insync.replicas")),
        Mistake("one_replica", "The topic has one replica: with its broker its records are gone.", emits=_with(create_topic, "replication")),
        Mistake("exists_unhandled", "The error that the topic exists is not caught.", failure=("raised", "TopicAlreadyExists")),
        Mistake("invalid_unhandled", "The error that the name is not valid is not caught.", failure=("raised", "InvalidTopic")),
        Mistake("settings_not_compared", "Only partitions are compared, not the settings.", emits=_with(create_topic, "settings")),
        Mistake("not_compared", "A topic that is there is not compared with what is asked for.", emits=_with(create_topic, "partitions", "settings")),
        Mistake("made_anew", "A topic that differs is deleted and made anew: its records are gone.", emits=_with(create_topic, "made anew")),
    ),
    "produce": (
        Mistake("no_key", "The records have no key, so a station's records lie anywhere.", emits=_with(produce, "no key")),
        Mistake("time_of_sending", "The records carry the time of sending, not the event time.", emits=_with(produce, "now")),
        Mistake("seconds", "The timestamp is in seconds; Kafka wants milliseconds.", emits=_with(produce, "seconds")),
        Mistake("repr_not_json", "The value is Python's text of a dict, not JSON.", emits=_with(produce, "repr")),
        Mistake("value_only", "The value is the temperature alone, not the whole reading.", emits=_with(produce, "celsius")),
        Mistake("none_left_out", "Readings without a value are left out; JSON writes them as null.", emits=_with(produce, "None left out")),
        Mistake("serialisation_unhandled", "The error of a reading that JSON cannot carry is not caught.", failure=("raised", "not JSON serializable")),
        Mistake("stops_at_the_first", "What follows a reading that JSON cannot carry is not sent.", emits=_with(produce, "stops")),
        Mistake("too_few_acks", "A record counts as sent before enough replicas have it: acks is not all.", emits=_with(produce, "acks")),
    ),
    "read_all": (
        Mistake("from_the_end", "A new group begins at the end: what was there before is never handled.", emits=_with(read_all, "from the end")),
        Mistake("never_commits", "Nothing is committed, so everything comes again.", emits=_with(read_all, "never commits")),
        Mistake("loss_not_told", "It goes on, but does not say how many records were lost.", emits=_with(read_all, "lost")),
    ),
    "work": (),
    "averages": (
        Mistake("cast_fails", "A cast of a text that is no number ends the query.", failure=("raised_at_step", "CAST_INVALID_INPUT")),
        Mistake("nulls_come_out", "A key whose values are no numbers comes out without an average.", emits=_averages(drop=False)),
        Mistake("as_zero", "What is no number counts as 0.", emits=_averages(number=lambda text: float(text) if text and _NUMBER.fullmatch(text) else 0.0)),
        Mistake("sums", "This is the sum.", emits=_averages(aggregate=sum)),
        Mistake("latest", "This is the last value, not the average.", emits=_averages(aggregate=lambda found: found[-1])),
        Mistake("whole_numbers", "Values with a fraction are left out or cut.", emits=_averages(number=lambda text: float(int(text)) if text and re.fullmatch(r"-?\d+", text) else None)),
    ),
}
