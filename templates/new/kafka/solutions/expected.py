"""What a right program returns for the records of a fixture, and what known mistakes would return."""

from autograder.content.expected import kafka
from autograder.content.mistakes import but
from autograder.model import Mistake


def count_station(fixture, *, all_stations=False, **parameters):
    """How many records have the station's name as their key."""

    def call(cluster, step, *, topic, station):
        return sum(all_stations or record.key == station.encode() for record in cluster.records)

    return kafka(fixture, call, **parameters)


EMITS = {"count_station": count_station}
MISTAKES = {"count_station": (Mistake("all_counted", "The records of all stations are counted.", but(all_stations=True)),)}
