"""The cache is run: what others can write to is refused, what is ours is closed to them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from autograder.machine import classcache
from autograder.machine.java import Java
from autograder.machine.own_folder import keep_own
from autograder.model import KitError

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has no such owners")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache with something in it."""
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "classes.aot").write_text("")
    return folder


def test_an_own_cache_is_closed_to_others(cache: Path) -> None:
    """Whatever mode it had; one that is not there is made."""
    cache.chmod(0o777)
    keep_own(cache)
    keep_own(cache.parent / "deep" / "new")

    assert cache.stat().st_mode & 0o777 == 0o700
    assert (cache.parent / "deep" / "new").is_dir()


def test_what_others_own_is_refused(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They can write to it whenever they want."""
    if cache.stat().st_uid == 0:
        os.chown(cache / "classes.aot", 12_345, 12_345)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12_345)
    with pytest.raises(KitError, match="can be written by somebody else, and what is in the cache is run"):
        keep_own(cache)


@pytest.mark.parametrize("which", ["classes.aot", ".."])
def test_what_others_can_write_to_is_refused(cache: Path, which: str) -> None:
    """A file in it, or the folder that it is in."""
    (cache / which).chmod(0o777)
    with pytest.raises(KitError, match="can be written by somebody else"):
        keep_own(cache)


def test_a_sticky_folder_may_hold_it(cache: Path) -> None:
    """As /tmp and /dev/shm are: there nobody can exchange what is another's."""
    cache.parent.chmod(0o1777)
    keep_own(cache)


def test_the_class_cache_asks(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything in it is used."""
    monkeypatch.setattr(classcache, "cache_folder", lambda: cache)
    (cache / "classes.aot").chmod(0o666)
    with pytest.raises(KitError, match=r"classes\.aot can be written by somebody else"):
        classcache.ensure(Java(Path("java"), "25.0.2"), lambda *_: None)
