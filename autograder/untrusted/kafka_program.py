"""A submission's Kafka program in a process of its own: its function is called, its handler and readings are ours.

What it does reaches the grader as JSON lines on a pipe: ``handled`` with partition and offset, ``paused``, ``ended``. It can
write there what it likes: marks come from what lies on the broker, and a handler's record is what a right program gives.
"""

from __future__ import annotations

import os
import re
import select
import signal
import traceback
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from autograder.untrusted import submission
from autograder.untrusted.stopped import Stopped, from_exception
from autograder.untrusted.worker import write_whole
from autograder.wire import NOT_JSON, Failure, ProgramAnswer, StartProgram, to_line

_MAX_FAULT = 10_000
_ADDRESS = re.compile(r"\b127\.0\.0\.1:\d+")


class HandleError(Exception):
    """What the handler raises where a fixture says so."""


class NotJson:
    """A thing in a reading that JSON cannot carry."""

    def __repr__(self) -> str:
        return "<a thing that JSON cannot carry>"


class Program:
    """One call of a submission's function."""

    def __init__(self, request: StartProgram, out: int, control: int) -> None:
        self.request, self.out, self.control = request, out, control
        self.handled = 0

    def run(self) -> None:
        """Call the function and tell how it ended."""
        try:
            self.say(ProgramAnswer(ended=self.call()))
        except Stopped as stopped:
            self.say(ProgramAnswer(failure=self.scrubbed(stopped.failure)))
        except BaseException:  # noqa: BLE001  # whatever it is, the grader must hear of it
            self.say(ProgramAnswer(fault=traceback.format_exc()[-_MAX_FAULT:]))

    def call(self) -> str:
        """The function's end in words. Raises Stopped for what it raises of its own."""
        path = submission.FILE
        module = submission.load(path, submission.received(self.request.source))
        provides = {"handle": self.handle, "running": self.running, "readings": self.readings()}
        keywords = {**self.request.parameters, **{name: provides[name] for name in self.request.provides}}
        build = submission.function(module, self.request.function, 1, list(keywords))
        try:
            with submission.traps():
                answer = build(self.request.bootstrap, **keywords)
        except HandleError:
            return "raised what the handler raised"
        except BaseException as error:
            raise from_exception(error, path, "raised") from error
        return f"returned {answer!r}"[:200]

    def scrubbed(self, failure: Failure) -> Failure:
        """The failure without what is different in every run: ports, and the marks on names of topics and groups."""
        return replace(failure, text=_ADDRESS.sub("the broker", failure.text).replace(self.request.mark, ""))

    def handle(self, record: Any) -> None:
        """The handler that a submission is given. It does at its n-th record what the fixture says."""
        plan = self.request.handle
        self.handled += 1
        if self.handled == plan.dies_while:
            self.die()
        if self.handled == plan.raises_at:
            raise HandleError("the handler cannot handle this record")
        self.say(ProgramAnswer(handled=(int(record.partition), int(record.offset))))
        if self.handled == plan.dies_after:
            self.die()

    def die(self) -> None:
        """End at once, as a power cut does."""
        self.say(ProgramAnswer(died=True))
        os.kill(os.getpid(), signal.SIGKILL)

    def running(self) -> bool:
        """Whether the program is to go on."""
        return not select.select([self.control], [], [], 0)[0]

    def readings(self) -> Iterator[Any]:
        """The readings one by one; at one of them the grader does something first."""
        for number, reading in enumerate(self.request.readings):
            if number == self.request.pause_at:
                self.say(ProgramAnswer(paused=True))
                os.read(self.control, 1)
            yield {name: NotJson() if value == NOT_JSON else value for name, value in reading.items()}

    def say(self, answer: ProgramAnswer) -> None:
        """One line to the grader, in one piece."""
        write_whole(self.out, to_line(answer).encode())


def fix_client() -> None:
    """Have poll() wait until its consumer has joined, however short its timeout.

    kafka-python 3.0.12 can take a join that poll() did not wait for as done: the broker counts the member, which polls for ever
    and gets nothing. Seen when a program starts while the machine is busy; marks must not depend on that.
    """
    from kafka.coordinator.consumer import ConsumerCoordinator

    original = ConsumerCoordinator.ensure_active_group

    def ensure_active_group(self: Any, timeout_ms: float | None = None) -> bool:  # noqa: ARG001  # the library's own signature
        return bool(original(self))

    ConsumerCoordinator.ensure_active_group = ensure_active_group
