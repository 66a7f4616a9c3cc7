"""What a fixture's ``observe`` step looks at on the brokers, each as facts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from autograder.broker.scene import PATIENCE, Scene
from autograder.oracle import kafka as logs
from autograder.oracle.kafka import Fact

#: Names of topics that are told at most.
_MOST_TOPICS = 50
#: How the topics begin that are made to know that brokers know the others.
SETTLED = "autograder-settled-"


def facts(scene: Scene, what: tuple[str, ...]) -> list[Fact]:
    """The facts of all these looks, once consumers can read what leaders have.

    A program that does not wait for all replicas ends before they have what it sent.
    """
    scene.holds(lambda: not scene.observer.waits_for_replicas(scene.topic), min(scene.deadline, scene.clock.now() + PATIENCE))
    return [found for name in what for found in _LOOKS[name](scene)]


def _topic(scene: Scene) -> list[Fact]:
    names = [scene.name(name) for name in scene.observer.topics(scene.mark) if name != scene.topic]
    others = sorted(name for name in names if not name.startswith(SETTLED))[:_MOST_TOPICS]
    return logs.topic_facts(scene.observer.topic(scene.topic, scene.settings), others)


def _times(scene: Scene) -> list[Fact]:
    return logs.time_facts(scene.records(), time.time() * 1000)


def _different(scene: Scene) -> list[Fact]:
    return logs.different_facts(record.value for record in scene.records())


def _handled(scene: Scene) -> list[Fact]:
    places = scene.places()
    groups = list(dict.fromkeys(program.group for program in scene.programs))
    found = _made_up(scene)
    for group in groups:
        each = logs.handled_facts(places, [program.handled for program in scene.programs if program.group == group])
        found += each if len(groups) == 1 else [logs.fact(f"{scene.name(group)}: {fact['what']}", fact["is"]) for fact in each]
    return found


def _at_least_once(scene: Scene) -> list[Fact]:
    group = scene.group()
    programs = [program for program in scene.programs if program.group == group]
    again = [place for program in programs for place in scene.committed_before[program.number] & set(program.handled)]
    return logs.at_least_once_facts(scene.places(), scene.handled(group), again) + _made_up(scene)


def _made_up(scene: Scene) -> list[Fact]:
    return logs.made_up_facts(scene.observer.ends(scene.topic), [program.handled for program in scene.programs])


def _offsets(scene: Scene) -> list[Fact]:
    starts, ends = scene.observer.bounds(scene.topic)
    group = scene.group()
    return logs.offset_facts(scene.name(group), ends, starts, scene.observer.committed(group, scene.topic))


def _ahead(scene: Scene) -> list[Fact]:
    group = scene.group()
    committed = scene.observer.committed(group, scene.topic)
    return logs.ahead_facts(scene.name(group), committed, scene.places(), scene.handled(group))


def _members(scene: Scene) -> list[Fact]:
    return logs.member_facts(scene.members(scene.group()).values())


_LOOKS: Mapping[str, Callable[[Scene], list[Fact]]] = {
    "topic": _topic,
    "keys": lambda scene: logs.key_facts(scene.records()),
    "values": lambda scene: logs.value_facts(scene.records()),
    "order": lambda scene: logs.order_facts(scene.records()),
    "times": _times,
    "headers": lambda scene: logs.header_facts(scene.records()),
    "different": _different,
    "handled": _handled,
    "at_least_once": _at_least_once,
    "offsets": _offsets,
    "ahead": _ahead,
    "members": _members,
}
