"""Every way in which a submission goes wrong has its own clear outcome."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.engines.base import Observer
from autograder.grading.answer_key import AnswerKey
from autograder.model import Outcome, Report
from autograder.reports import terminal
from tests.conftest import grade_file

RIGHT = "views.groupBy('page').count().withColumnRenamed('count', 'views')"
Grade = Callable[..., Report]

# name, body of the file, outcome, what the student reads, line
CASES: list[tuple[str, str | bytes, Outcome, str, int | None]] = [
    ("empty", "  \n", Outcome.ERROR, r"The file is empty", None),
    ("not_utf8", b"# caf\xe9\n", Outcome.ERROR, r"not UTF-8 text \(byte 6\)", 1),
    ("syntax_error", "x = 1\ndef counts(views, least:\n    pass\n", Outcome.ERROR, r"Python cannot read the file", 2),
    ("null_byte", "x = '\0'\n", Outcome.ERROR, r"Python cannot read the file", None),
    ("module_not_there", "import pandaz\ndef counts(views, least): pass\n", Outcome.ERROR, r"The module 'pandaz' is not installed here", 1),
    (
        "raises_on_import",
        "x = 1\ny = 1 / 0\ndef counts(views, least): pass\n",
        Outcome.ERROR,
        r"raises ZeroDivisionError when it is loaded: division by zero",
        2,
    ),
    ("no_function", "def count(views): pass\n", Outcome.ERROR, r"There is no function counts", None),
    (
        "other_parameters",
        "\ndef counts(views): pass\n",
        Outcome.ERROR,
        r"called as counts\(views, least\), but yours is counts\(views\)",
        2,
    ),
    ("not_written", "def counts(views, least):\n    raise NotImplementedError\n", Outcome.FAILED, r"counts is not written yet", 2),
    ("returns_none", "def counts(views, least): pass\n", Outcome.ERROR, r"counts returns None", None),
    (
        "returns_batch",
        "def counts(views, least):\n    return views.sparkSession.createDataFrame([('a', 1)], 'page STRING, views INT')\n",
        Outcome.ERROR,
        r"returns a batch DataFrame, not a stream",
        None,
    ),
    ("returns_text", "def counts(views, least): return 'a'\n", Outcome.ERROR, r"counts returns a str, not DataFrame", None),
    (
        "starts",
        f"def counts(views, least):\n    q = {RIGHT}.writeStream.outputMode('update').format('console').start()\n    return {RIGHT}\n",
        Outcome.ERROR,
        r"The query was started in your code",
        2,
    ),
    (
        "starts_and_hides_it",
        f"def counts(views, least):\n    try:\n        views.writeStream.format('console').start()\n    except:\n        pass\n    return {RIGHT}\n",
        Outcome.ERROR,
        r"The query was started in your code",
        3,
    ),
    (
        "awaits_at_import",
        "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\nspark.streams.awaitAnyTermination()\n"
        "def counts(views, least): pass\n",
        Outcome.ERROR,
        r"(waits for the stream to end|raises .* when it is loaded)",
        3,
    ),
    ("stops_spark", "def counts(views, least):\n    views.sparkSession.stop()\n", Outcome.ERROR, r"Your code stops Spark", 2),
    (
        "leaves_a_query_running",
        f"def counts(views, least):\n    views.writeStream._jwrite.format('noop').option('checkpointLocation', 'c').start()\n    return {RIGHT}\n",
        Outcome.ERROR,
        r"The query was started in your code \(a query of its own\)",
        None,
    ),
    ("collects", "def counts(views, least):\n    print(views.collect())\n", Outcome.ERROR, r"calls an action such as collect\(\)", 2),
    ("shows", "def counts(views, least):\n    views.show()\n", Outcome.ERROR, r"calls an action such as collect\(\)", 2),
    ("raises_in_driver", "def counts(views, least):\n    return {}['views']\n", Outcome.ERROR, r"counts raises KeyError: 'views'", 2),
    (
        "raises_an_error_of_its_own_kind",
        "from pyspark.sql import functions as F\nclass TooCold(Exception):\n    pass\n"
        "@F.udf('string')\ndef same(page):\n    raise TooCold(page)\n"
        "def counts(views, least):\n    return views.groupBy(same('page').alias('page')).agg(F.count('*').alias('views'))\n",
        Outcome.ERROR,
        r"Your function raised TooCold while rows were processed: \w \(at step 1\)",
        6,
    ),
    (
        "raises_in_a_task_at_the_third_step",
        "from pyspark.sql import functions as F\n@F.udf('string')\ndef same(page):\n    if page == 'c':\n        raise ValueError('no c')\n"
        "    return page\ndef counts(views, least):\n    return views.groupBy(same('page').alias('page')).agg(F.count('*').alias('views'))\n",
        Outcome.ERROR,
        r"Your function raised ValueError while rows were processed: no c \(at step 3\)",
        5,
    ),
    (
        "refused",
        "def counts(views, least):\n    return views.orderBy('page')\n",
        Outcome.ERROR,
        r"Spark refuses the query: .*[Ss]orting",
        None,
    ),
    ("exits", "import os\ndef counts(views, least):\n    os._exit(0)\n", Outcome.ERROR, r"ended its own process", None),
    ("sys_exit", "def counts(views, least):\n    raise SystemExit(1)\n", Outcome.ERROR, r"ended its own process exit\(1\)", 2),
    (
        "kills_the_jvm",
        "def counts(views, least):\n    views.sparkSession._jvm.System.exit(1)\n",
        Outcome.ERROR,
        r"Spark was shut down",
        None,
    ),
]


@pytest.mark.parametrize(("body", "outcome", "text", "line"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_has_its_own_outcome(grade: Grade, body: str | bytes, outcome: Outcome, text: str, line: int | None) -> None:
    """The first check says what is wrong, where, and gives no points; its dependent is skipped with the reason."""
    report = grade(body)

    first, dependent = report.checks
    assert (first.outcome, first.points, first.line) == (outcome, 0, line), first
    assert re.search(text, first.message)
    assert first.hint
    assert dependent.outcome is Outcome.SKIPPED
    assert "counts starts and runs" in dependent.message
    assert "Traceback" not in terminal.to_text(report)


def test_missing_file(engine: Observer, toy: AnswerKey, tmp_path: Path) -> None:
    """A file that is not there is told by name."""
    report = grade_file(engine, toy, tmp_path / "nowhere.py", ("counts_runs",))

    assert report.checks[0].message == "There is no file nowhere.py."


def test_a_folder_is_no_submission(engine: Observer, toy: AnswerKey, tmp_path: Path) -> None:
    """Only a regular file is read."""
    report = grade_file(engine, toy, tmp_path, ("counts_runs",))

    assert "is not a regular file" in report.checks[0].message


def test_blocks_for_ever(grade: Grade) -> None:
    """A replay that is not done in time is ended, with an outcome of its own."""
    report = grade("def counts(views, least):\n    while True: pass\n", checks=("counts_runs",), time_limit=5)

    assert report.checks[0].outcome is Outcome.TIMEOUT
    assert report.checks[0].message == "It did not finish within 5 seconds."


def test_timeout_cannot_be_swallowed(grade: Grade) -> None:
    """The limit is kept from outside: no except clause sees it."""
    body = "def counts(views, least):\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass\n"

    assert grade(body, checks=("counts_runs",), time_limit=5).checks[0].outcome is Outcome.TIMEOUT


def test_prints_megabytes(grade: Grade) -> None:
    """What a program prints is kept to its first lines and costs it nothing."""
    report = grade(
        f"def counts(views, least):\n    print('x' * 79 + chr(10), end='') if 0 else [print('x' * 99) for _ in range(50000)]\n    return {RIGHT}\n"
    )

    assert [check.outcome for check in report.checks] == [Outcome.PASSED, Outcome.PASSED]
    assert len(report.checks[0].printed) <= 2000


def test_redefines_spark_session(grade: Grade) -> None:
    """A name of PySpark's that a submission takes for itself does not reach the replay."""
    report = grade(f"class SparkSession: pass\nspark = SparkSession()\ndef counts(views, least):\n    return {RIGHT}\n")

    assert report.points == 3


def test_a_query_left_running_does_not_disturb_the_next_check(grade: Grade) -> None:
    """What one function leaves behind is gone before another function is replayed."""
    body = (
        "def counts(views, least):\n    views.writeStream._jwrite.format('noop').option('checkpointLocation', 'c').start()\n    return views\n"
        "def words(lines):\n    return lines.map(lambda line: (line, 1)).reduceByKey(lambda a, b: a + b)\n"
    )
    report = grade(body, checks=("counts_runs", "words_right"))

    assert [check.outcome for check in report.checks] == [Outcome.ERROR, Outcome.PASSED]


def test_one_function_wrong_leaves_the_others_their_points(grade: Grade) -> None:
    """Partial credit: each function is judged by itself, also when one of them takes Spark down."""
    body = (
        "def counts(views, least):\n    views.sparkSession._jvm.System.exit(1)\n"
        "def words(lines):\n    return lines.map(lambda line: (line, 1)).reduceByKey(lambda a, b: a + b)\n"
        "def double(number):\n    return 2 * number\n"
    )
    report = grade(body, checks=("counts_runs", "words_right", "double_right"))

    assert [check.outcome for check in report.checks] == [Outcome.ERROR, Outcome.PASSED, Outcome.PASSED]


def test_wrong_elements_of_a_dstream(grade: Grade) -> None:
    """An element of another shape is shown."""
    report = grade("def words(lines):\n    return lines\n", checks=("words_right",))

    assert "An element of the result is 'a', not a tuple (word, count)." in report.checks[0].message


def test_other_columns(grade: Grade) -> None:
    """Columns that are missing or too many are named."""
    report = grade("def counts(views, least):\n    return views.groupBy('page').count()\n")

    assert "missing: views; not asked for: count" in report.checks[0].message


def test_a_batch_that_is_told_twice_ends_no_other(grade: Grade) -> None:
    """Py4J may repeat a call from the JVM: the replay waits for each batch by its own time, and misses nothing of a later one."""
    report = grade(
        "from datetime import datetime\nfrom autograder.untrusted import dstream\n\n\n"
        "def words(lines):\n    dstream._tick(datetime.fromtimestamp(1), None)\n"
        "    return lines.map(lambda line: (line, 1)).reduceByKey(lambda a, b: a + b)\n",
        ("words_right",),
    )

    assert report.checks[0].outcome is Outcome.PASSED


def test_an_rdd_that_python_has_let_go_is_not_lost(grade: Grade) -> None:
    """The JVM looks up what a stream's function gave after Python may have collected it: here it always has."""
    report = grade(
        "import gc\nfrom py4j import clientserver as server\n\n"
        "answer = server.ClientServerConnection._call_proxy\nforget = server.JavaClient.garbage_collect_object\n\n\n"
        "def late(self, name, stream):\n    message = answer(self, name, stream)\n    gc.collect()\n    return message\n\n\n"
        "server.ClientServerConnection._call_proxy = late\n"
        "server.JavaClient.garbage_collect_object = lambda self, name, enqueue=True: forget(self, name, False)\n\n\n"
        "def words(lines):\n    return lines.map(lambda line: (line, 1)).reduceByKey(lambda a, b: a + b)\n",
        ("words_right",),
    )

    assert report.checks[0].outcome is Outcome.PASSED, report.checks[0].message
