"""Reports say the same on every machine and in every run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.grading.causes import cause
from autograder.grading.cleaning import clean, cleaned
from autograder.machine.paths import known_folders
from autograder.model import Failure, Observation

PLACES = ["/srv/kit/.venv", "/srv/kit", "/home/ann"]


@pytest.mark.parametrize(
    ("said", "clean_text"),
    [
        ("cannot resolve page#17 among views#18L, window#19", "cannot resolve page among views, window"),
        ("An error occurred while calling o67.count.", "An error occurred while calling count."),
        ("<function double at 0x7f92e8159390> in Thread-12", "<function double at 0x…> in Thread"),
        ('File "/srv/kit/.venv/lib/python3.11/json/decoder.py", line 3', 'File "…/lib/python3.11/json/decoder.py", line 3'),
        ("No file /dev/shm/autograder-x7_ab1/replay-4/data.csv", "No file …/data.csv"),
        ("/home/annabel/data", "/home/annabel/data"),
        ("java.lang.Object@1b2c3d4e", "java.lang.Object"),
        ("flight #17 of ann@example.org, 10.0 and o7", "flight #17 of ann@example.org, 10.0 and o7"),
    ],
)
def test_words_that_differ_from_run_to_run_go(said: str, clean_text: str) -> None:
    """And nothing else."""
    assert clean(said, PLACES) == clean_text


def test_what_a_program_prints_is_its_own() -> None:
    """Its numbers stay as they are; folders, addresses and a plan's numbers do not."""
    home = known_folders()[0]
    printed = f"flight#17\nin {home}/data at 0x7f92e8159390\n+- Project [page#17, views#18L]\n*(1) Scan ExistingRDD[page#3]"
    found = cleaned(Observation(printed=printed, failure=Failure("raised", "page#17")))

    assert found.printed == "flight#17\nin …/data at 0x…\n+- Project [page, views]\n*(1) Scan ExistingRDD[page]"
    assert found.failure == Failure("raised", "page")


def test_the_folders_of_this_machine_are_known() -> None:
    """Python's, the kit's and home, however deep: one below another is replaced whole."""
    places = known_folders()

    assert {sys.prefix, str(Path.home())} <= set(places) | {"/"}
    assert places == sorted(places, key=len, reverse=True)
    assert "/" not in places


KAFKA = (
    "[Error 36] TopicAlreadyExistsError: Request 'CreateTopicsRequest(version=7, topics=[CreatableTopic(name='readings')])' failed with "
    "response 'CreateTopicsResponse(version=7, topics=[CreatableTopicResult(name='readings', error_code=36, "
)
#: The error's name, what it says, and what is told of it. What programs of others got is in failures.jsonl.
CAUSES = [
    ("AnalysisException", "Sorting is not supported; ~Sort [views DESC], true +- ~Aggregate [page]", "Sorting is not supported"),
    ("AnalysisException", "Sorting is not supported;\nSort [views DESC], true\n+- Aggregate [page]", "Sorting is not supported"),
    (
        "AnalysisException",
        "cannot resolve 'a' given input columns: [b]; 'Project ['a] +- LogicalRDD [b]",
        "cannot resolve 'a' given input columns: [b]",
    ),
    ("AnalysisException", "[X.Y] Invalid output mode: append. SQLSTATE: 42KDE", "[X.Y] Invalid output mode: append."),
    ("AnalysisException", "[X] `a` cannot be resolved. SQLSTATE: 42703; line 1 pos 7;", "[X] `a` cannot be resolved. (line 1, pos 7)"),
    ("AnalysisException", "The `slide_duration`(90000000L) must be <= it.", "The `slide_duration` (90 seconds) must be <= it."),
    ("AnalysisException", "The `slide_duration`(3600000000L) must be <= it.", "The `slide_duration` (1 hour) must be <= it."),
    (
        "AnalysisException",
        "[P] Unable to parse 'x'. Please ensure that it is valid. You can reference the documentation.",
        "[P] Unable to parse 'x'.",
    ),
    ("Py4JJavaError", "An error occurred while calling collectToPython.", "collect() failed in Spark."),
    (
        "Py4JJavaError",
        "An error occurred while calling z:org.apache.spark.api.python.PythonRDD.collectAndServe.",
        "collect() failed in Spark.",
    ),
    ("Py4JJavaError", "An error occurred while calling save.\n: java.lang.Error: no driver", "java.lang.Error: no driver"),
    (
        "Py4JError",
        "An error occurred while calling window. Trace: py4j.Py4JException: Method window([class java.lang.String, class java.lang.Integer]) "
        "does not exist\n\tat py4j.reflection.ReflectionEngine.getMethod(ReflectionEngine.java:321)",
        "Method window(String, Integer) does not exist",
    ),
    (
        "SparkException",
        "Job aborted due to stage failure: Task 0 in stage 3.0 failed 1 times, most recent failure: Lost task 0.0 in stage 3.0 (TID 3) "
        "(host executor driver): java.lang.ArithmeticException: / by zero\n\tat scala.Some.get(Option.scala:1)\n\nDriver stacktrace:",
        "java.lang.ArithmeticException: / by zero",
    ),
    ("Py4JError", "An error occurred while calling window. Trace:", "window() failed in Spark."),
    ("SparkException", "An exception was raised by Python:", ""),
    ("SparkException", "An exception was raised by Python:\nTraceback (most recent call last):\n  File", ""),
    ("StreamingQueryException", "Identifier:", ""),
    (
        "StreamingQueryException",
        "[STREAM_FAILED] Query [id = 1-2, runId = 3-4] terminated with exception: overflow SQLSTATE: XXKST === Streaming Query === "
        "Identifier: [id = 1-2, runId = 3-4] Current Committed Offsets: {}",
        "overflow",
    ),
    (
        "StreamingQueryException",
        "[FOREACH_BATCH_USER_FUNCTION_ERROR] An error occurred in the user provided function in foreach batch sink. Reason: "
        "An exception was raised by the Python Proxy. Return Message: no such table",
        "no such table",
    ),
    (
        "IllegalArgumentException",
        "requirement failed: The checkpoint directory has not been set.",
        "The checkpoint directory has not been set.",
    ),
    (
        "AttributeError",
        "'int' object has no attribute '_get_object_id'",
        "Spark was given an int where it takes an object of its own, such as a Column or a DataFrame.",
    ),
    ("AttributeError", "'function' object has no attribute '_jdf'", "Spark was given a function where it takes a DataFrame."),
    ("TopicAlreadyExistsError", KAFKA + """error_message="Topic 'readings' already exists.", x""", "Topic 'readings' already exists."),
    ("TopicAlreadyExistsError", KAFKA + "error_message=None)])'", "The broker refuses the request (TopicAlreadyExistsError)."),
    ("ValueError", "x" * 400, "x" * 298 + " …"),
    # What Python and programs say is theirs.
    ("AttributeError", "'Row' object has no attribute 'spilt'", "'Row' object has no attribute 'spilt'"),
    ("ValueError", "SQLSTATE: 42KDE; ~Sort is mine +- Aggregate", "SQLSTATE: 42KDE; ~Sort is mine +- Aggregate"),
]


@pytest.mark.parametrize(("error", "said", "told"), CAUSES, ids=[said[:40] for _, said, _ in CAUSES])
def test_of_an_error_the_cause_is_told(error: str, said: str, told: str) -> None:
    """Without what Spark, the JVM, Py4J and Kafka's client put around it."""
    assert cause(Failure("raised_at_step", said, None, error)).text == told


def test_what_a_function_raises_while_rows_are_processed_is_its_own() -> None:
    """Whatever it looks like."""
    said = Failure("raised_in_task", "An error occurred while calling o1.x. SQLSTATE: 42KDE; ~Sort", None, "MyException")

    assert cause(said) == said


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("('to',), not (word, count)", "'to', not a tuple (word, count)"),
        ("(9, 1), not (peak)", "(9, 1), not a single value (peak)"),
        ("('a', 1, 2), not (word, count)", "('a', 1, 2), not (word, count)"),
        ("((1, 2),), not (peak)", "(1, 2), not a single value (peak)"),
    ],
)
def test_a_single_value_is_no_tuple(said: str, told: str) -> None:
    """An element of another shape is shown as the program has made it."""
    assert cause(Failure("wrong_elements", said)).text == told


NOISE = [
    "An error occurred while calling ",
    "o1.x",
    "SQLSTATE: 42KDE",
    "; ~Sort ",
    " +- ",
    "Identifier:",
    "\n\tat a.b(C.java:1)",
    "([",
    "class a.B",
    "[Error 1] X: Request ",
]


@given(
    st.lists(st.sampled_from(NOISE) | st.text(max_size=20), max_size=8).map("".join),
    st.sampled_from(["", "KeyError", "SparkException", "Py4JError"]),
)
def test_any_text_has_a_cause(text: str, error: str) -> None:
    """Nothing that an error says ends the judgement; without an error's name the text is a name or a number of the kit's."""
    found = cause(Failure("raised_at_step", text, None, error))

    assert len(found.text) <= 300 if error else found.text == text


def test_a_long_text_is_cut_at_once() -> None:
    """No pattern takes long for what a submission may make an error say."""
    for text in (" " * 4000, "a." * 2000, "; " * 2000, "\n" * 3990 + "at ", "An error occurred while calling " + "a." * 1980):
        assert len(cause(Failure("raised_at_step", text, None, "SparkException")).text) <= 300
