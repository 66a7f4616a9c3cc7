"""Where the kit keeps what it makes on a machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from autograder.machine.paths import cache_folder


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"AUTOGRADER_CACHE": "/given", "XDG_CACHE_HOME": "/xdg"}, "/given/autograder"),
        ({"XDG_CACHE_HOME": "/xdg"}, "/xdg/autograder"),
        ({}, "/home/ann/.cache/autograder"),
        ({"AUTOGRADER_CACHE": "", "XDG_CACHE_HOME": ""}, "/home/ann/.cache/autograder"),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep caches elsewhere")
def test_the_cache_on_linux(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], folder: str) -> None:
    """The kit's own variable wins, then the one that all programs keep, then the usual place."""
    for name in ("AUTOGRADER_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/ann", **variables}.items():
        monkeypatch.setenv(name, value)

    assert cache_folder() == Path(folder)
