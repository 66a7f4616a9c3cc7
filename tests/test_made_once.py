"""What is made once on a machine is made by one command alone, and is there whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.machine.made_once import lock_of, made_once, remove_made

ROOT = Path(__file__).parent.parent
#: Makes a file or a folder, of which half is there until it is told to go on; says what it does.
MAKER = """
import logging
import sys
from pathlib import Path
from autograder.machine.made_once import made_once

def say(text):
    print(text, flush=True)

class Waits(logging.Handler):
    def emit(self, record):
        if "not acquired" in record.msg:
            say("waits")
            logging.getLogger("filelock").removeHandler(self)

logging.getLogger("filelock").addHandler(Waits())
logging.getLogger("filelock").setLevel(logging.DEBUG)

def make(path):
    if sys.argv[2] == "folder":
        path.mkdir()
        path = path / "file"
    path.write_text("half")
    say("making")
    sys.stdin.readline()
    path.write_text("whole")

def there(path):
    found = path.exists()
    say("there" if found else "missing")
    return found

made_once(Path(sys.argv[1]), make, there)
say("done")
"""


class Maker:
    """A process that makes the target."""

    def __init__(self, target: Path, kind: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", MAKER, str(target), kind],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)},
        )  # fmt: skip

    def says(self, lines: int) -> list[str]:
        """Its next lines."""
        assert self.process.stdout
        return [self.process.stdout.readline().strip() for _ in range(lines)]

    def goes_on(self) -> None:
        """Let it finish what it makes."""
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()


@pytest.fixture(params=["file", "folder"])
def kind(request: pytest.FixtureRequest) -> str:
    """What is made."""
    return str(request.param)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Where it is made: in a folder that is not there yet."""
    return tmp_path / "cache" / "target"


@pytest.fixture
def maker(target: Path, kind: str) -> Iterator[Maker]:
    """A process that is about to make it, with half of it written."""
    first = Maker(target, kind)
    assert first.says(3) == ["missing", "missing", "making"]
    yield first
    first.process.kill()
    first.process.communicate()


def content(target: Path) -> str:
    return (target / "file" if target.is_dir() else target).read_text()


def make(path: Path) -> None:
    path.write_text("made")


def test_two_at_once_make_it_once(target: Path, maker: Maker, kind: str) -> None:
    """The second one waits for the first and uses what that one made."""
    second = Maker(target, kind)
    with second.process:
        assert second.says(2) == ["missing", "waits"]
        assert not target.exists()

        maker.goes_on()

        assert maker.says(1) == ["done"]
        assert second.says(2) == ["there", "done"]
    assert content(target) == "whole"
    assert set(target.parent.iterdir()) == {target, lock_of(target)}


def test_one_that_is_killed_leaves_nothing_in_the_way(target: Path, maker: Maker) -> None:
    """The next one takes the lock, removes what was half made, and makes it."""
    maker.process.kill()
    maker.process.wait()
    assert not target.exists()

    assert made_once(target, make) == target

    assert content(target) == "made"
    assert set(target.parent.iterdir()) == {target, lock_of(target)}


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()])
def test_what_fails_leaves_nothing(target: Path, error: BaseException) -> None:
    """Neither the target nor what was made meanwhile; the error is the caller's, and the next one can make it."""

    def fail(path: Path) -> None:
        (path.parent / "other").write_text("of its own")
        path.write_text("half")
        raise error

    with pytest.raises(type(error)) as caught:
        made_once(target, fail)
    assert caught.value is error
    assert list(target.parent.iterdir()) == [lock_of(target)]

    assert content(made_once(target, make)) == "made"


def test_nothing_made_is_an_error(target: Path) -> None:
    """It is not taken for made."""
    with pytest.raises(FileNotFoundError):
        made_once(target, lambda _: None)
    assert list(target.parent.iterdir()) == [lock_of(target)]


def test_what_is_there_needs_nothing(target: Path) -> None:
    """No lock is taken, so that it works where nothing can be written."""
    target.parent.mkdir()
    target.write_text("there")

    assert content(made_once(target, make)) == "there"
    assert list(target.parent.iterdir()) == [target]


def test_what_is_not_good_is_replaced(target: Path, kind: str) -> None:
    """A damaged file or folder gives way to a good one."""
    broken = target / "file" if kind == "folder" else target
    broken.parent.mkdir(parents=True)
    broken.write_text("damaged")

    assert content(made_once(target, make, lambda path: path.is_file() and content(path) == "made")) == "made"


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    """The caller gets the system's error, and nothing was made in vain."""
    (tmp_path / "file").touch()

    with pytest.raises(FileExistsError):
        made_once(tmp_path / "file" / "target", lambda _: pytest.fail("it was made in vain"))


def test_removing_spares_what_is_being_made(target: Path, maker: Maker) -> None:
    """Else nothing is left of it: no half, no lock."""
    remove_made(target)
    maker.goes_on()
    assert maker.says(1) == ["done"]
    assert content(target) == "whole"

    remove_made(target)

    assert list(target.parent.iterdir()) == []
