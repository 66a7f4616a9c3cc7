"""Reports say the same on every machine and in every run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

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
