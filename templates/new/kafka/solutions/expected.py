"""What a right program returns for the records of a fixture, and what known mistakes would return."""

from autograder.content.expected import kafka
from autograder.model import Mistake
from autograder.oracle import kafka as logs


def count_station(fixture, *, topic, station):
    """One fact for each call: what it returned."""
    keys = []

    def tell(event):
        if event.kind == "records":
            keys.extend(record["key"] for record in event.data)
        if event.kind == "call":
            return [logs.fact("program", f"returned {sum(station in (key, '*') for key in keys)}")]
        return None

    return kafka(fixture, tell)


def all_counted(fixture, *, topic, station):
    """The same, of all stations."""
    return count_station(fixture, topic=topic, station="*")


def station_hard_coded(fixture, *, topic, station):
    """The same, of the default station."""
    return count_station(fixture, topic=topic, station="Oslo")


EMITS = {"count_station": count_station}
MISTAKES = {
    "count_station": (
        Mistake("all_counted", "The records of all stations are counted.", emits=all_counted),
        Mistake("station_hard_coded", "The station stands in the code.", emits=station_hard_coded),
    ),
}
