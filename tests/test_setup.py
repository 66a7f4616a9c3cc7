"""The set-up: pinned, hashed, naming no address; and clear where it cannot go on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_lock_is_pinned_and_names_no_address(lock: Path) -> None:
    """Every requirement has a version and a hash; no host, no index, no option."""
    text = lock.read_text()
    entries = re.split(r"\n(?=\S)", text.replace("\\\n", " ").strip())

    assert LOCKS
    assert all(re.match(r"[a-z0-9-]+==\S+", entry) and "--hash=sha256:" in entry for entry in entries)
    assert not re.search(r"://|--index|--find-links|^-", text, re.MULTILINE)


def test_pyspark_is_pinned() -> None:
    """The version that the oracle's rules were checked on."""
    assert re.search(r"^pyspark==4\.3\.0 ", (ROOT / "requirements/dev.lock").read_text(), re.MULTILINE)


def test_kafka_python_is_pinned() -> None:
    """Private parts of it are used: a newer one is taken on purpose, or not at all."""
    assert '"kafka-python==3.0.12"' in (ROOT / "pyproject.toml").read_text()


def test_commands_of_the_readme_exist() -> None:
    """Every make target that the README names is there, and so is every verb."""
    readme, makefile = (ROOT / "README.md").read_text(), (ROOT / "Makefile").read_text()
    from autograder.cli.main import main

    assert "make demo" in readme
    assert "make test" in readme
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in re.findall(r"\bmake ([a-z]+)", readme))
    assert set(re.findall(r"\bautograder ([a-z]+)", readme)) <= set(main.commands) | {"kit"}


def test_ci_calls_the_readmes_command() -> None:
    """.ci/run does nothing that the README does not say."""
    lines = [line for line in (ROOT / ".ci/run").read_text().splitlines() if not line.startswith(("#", "set", "cd"))]

    assert lines == ["make test"]


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        (["/bin/false"], "/bin/false is not a Python 3.11, 3.12 or 3.13 that runs."),
        ([""], "No Python 3.11, 3.12 or 3.13 was found on the PATH."),
    ],
)
def test_no_suitable_python_is_two_lines(tmp_path: Path, arguments: list[str], first: str) -> None:
    """Two lines say what is missing and what to do."""
    done = subprocess.run(
        ["/bin/sh", str(ROOT / "requirements/find_python.sh"), *arguments],
        capture_output=True, text=True, check=False, env={"PATH": str(tmp_path)},
    )  # fmt: skip

    assert done.returncode == 1
    assert done.stderr.splitlines() == [first, "Install one, or name it: make PYTHON=/path/to/python3.12 demo"]
