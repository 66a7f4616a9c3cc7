"""Who is graded is known once: named by the option, the roster, the file or its folder, whoever else is graded."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.content.catalog import Catalog
from autograder.grading.answer_key import AnswerKey
from autograder.grading.batch import grade_all
from autograder.grading.session import Session
from autograder.model import Assignment, Failure, KitError
from autograder.sandbox import bubblewrap
from autograder.submission.locate import folder_name, handed_in, read_roster
from tests.conftest import HERE


@pytest.fixture
def assignment() -> Assignment:
    """The toy."""
    return Catalog(HERE / "kit").assignment("toy")


@pytest.fixture
def handed(tmp_path: Path) -> Path:
    """What students hand in: a folder each, and files."""
    for name in ("hana/toy.py", "ivo/assignments/toy/toy.py", "jo.py", "kim_toy.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    return tmp_path


def students(paths: list[Path], assignment: Assignment, **options: object) -> list[str]:
    return [each.student for each in handed_in(paths, assignment, **options)]  # type: ignore[arg-type]  # the options' own types


def test_a_student_does_not_depend_on_who_else_is_graded(handed: Path, assignment: Assignment) -> None:
    """Alone or among others, by folder or by file: the same name."""
    paths = [handed / "hana", handed / "ivo", handed / "jo.py", handed / "kim_toy.py"]

    assert students(paths, assignment) == ["hana", "ivo", "jo", "kim"]
    assert [students([path], assignment)[0] for path in paths] == ["hana", "ivo", "jo", "kim"]


def test_the_option_names_one_student(handed: Path, assignment: Assignment) -> None:
    """Whatever the file is called; of two files nobody knows which is meant."""
    assert students([handed / "hana"], assignment, student="s1234") == ["s1234"]
    with pytest.raises(KitError, match=r"--student names one student, here are 2 files\."):
        handed_in([handed / "hana", handed / "jo.py"], assignment, "s1234")


def test_two_files_of_one_student_are_refused(handed: Path, assignment: Assignment) -> None:
    """Neither is chosen for them."""
    (handed / "jo").mkdir()
    (handed / "jo/toy.py").write_text("x = 2\n")

    with pytest.raises(KitError, match=r"jo\.py and .*jo/toy\.py are both of jo\."):
        handed_in([handed / "jo.py", handed / "jo"], assignment)


def test_a_roster_says_who_is_who(handed: Path, assignment: Assignment) -> None:
    """By id or by what the file is called; whom it does not have is told, not guessed."""
    (handed / "roster.csv").write_text("\ufeffstudent,file\ns1,hana\ns2,jo\nkim,\n")
    roster = read_roster(handed / "roster.csv")

    assert students([handed / "hana", handed / "jo.py", handed / "kim_toy.py"], assignment, roster=roster) == ["s1", "s2", "kim"]
    with pytest.raises(KitError, match="the roster has no 'ivo'"):
        handed_in([handed / "ivo"], assignment, roster=roster)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name\nada\n", r"roster.csv:1: the roster has no column 'student'"),
        ("student\nada\nada\n", r"roster.csv:3: 'ada' is there twice"),
        ("student,file\nada,x\nbob,x\n", r"roster.csv:3: 'x' is there twice"),
        ("student,file\n,x\n", r"roster.csv:2: a student without an id"),
    ],
)
def test_a_roster_is_refused(tmp_path: Path, text: str, says: str) -> None:
    """With the line, and nothing is graded."""
    (tmp_path / "roster.csv").write_text(text)

    with pytest.raises(KitError, match=says):
        read_roster(tmp_path / "roster.csv")


@pytest.mark.parametrize("student", ["..", ".", "", "...", "a/b", "../../etc", "x" * 400, "\x1b]0;x\x07", ".hidden", "å" * 200, "a\\b"])
def test_a_folder_of_reports_leads_nowhere_else(tmp_path: Path, student: str) -> None:
    """Whatever a student is called, their reports are in a folder of their own below the given one."""
    path = tmp_path / folder_name(student)
    path.mkdir()

    assert path.resolve().parent == tmp_path.resolve()
    assert len(path.name.encode()) <= 120


def test_different_students_have_different_folders() -> None:
    """Also where their names are alike but for what no folder can be called."""
    names = ["a/b", "a_b", "a\\b", "..", ".", "", "_", "x" * 400, "x" * 401]

    assert len({folder_name(name) for name in names}) == len(names)


def test_a_link_on_the_way_leads_to_nobody_elses_work(handed: Path, assignment: Assignment) -> None:
    """Repositories of a class lie beside each other: a link of one could hand in another's file."""
    for name, linked in {"mallory/assignments": "ivo/assignments", "eve/assignments/toy": "ivo/assignments/toy"}.items():
        (handed / name).parent.mkdir(parents=True)
        (handed / name).symlink_to(handed / linked)

        (found,) = handed_in([handed / name.split("/")[0]], assignment)

        assert found.read(assignment).failure == Failure("missing", "toy.py")


@pytest.mark.parametrize("text", [f"x = {'-' * 60_000}1\n", f"x = a{'.b' * 90_000}\n", "x = '\\ud800'\n\0"])
def test_no_file_of_one_student_stops_the_others(handed: Path, assignment: Assignment, text: str) -> None:
    """What Python's parser cannot take is worked in; of two files that are, it is this student's failure."""
    (handed / "hana/toy.py").write_text(text)
    (handed / "hana/toy.ipynb").write_text("{}")

    hana, jo = handed_in([handed / "hana", handed / "jo.py"], assignment)

    assert hana.read(assignment).failure == Failure("two_files", "toy.py and toy.ipynb")
    assert jo.read(assignment).failure is None


def test_a_link_is_not_followed_to_find_where_files_lie(handed: Path, toy: AnswerKey) -> None:
    """One that leads into the system's files, or to itself, is that student's failure alone."""
    (handed / "lo.py").symlink_to("/usr/bin/env")
    (handed / "mo.py").symlink_to(handed / "mo.py")
    files = handed_in([handed / "lo.py", handed / "mo.py"], toy.assignment)

    outcomes = [graded.report.checks[0].message for graded in grade_all(Session(toy), files, confined=not bubblewrap.obstacle())]

    assert outcomes == ["lo.py is not a regular file.", "mo.py is not a regular file."]
