"""Programs that differ from the solution in one place: how they are made, and which get full points."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.authoring import real_strength
from autograder.authoring.mutants import mutants
from autograder.authoring.real_strength import survivors
from autograder.cli.main import main
from autograder.content.catalog import Catalog
from autograder.engines.base import Observer
from autograder.grading.answer_key import AnswerKey
from autograder.machine.progress import silent

PROGRAM = '''
def other(x):
    return x


def total(frame, limit, *, mode="append"):
    """A docstring is no program."""
    if limit < 3 and not frame:
        limit = limit + 1
    return frame.where("a > 0").groupBy("a", "b").agg(x=1.5, y=True)
'''


def test_each_changes_one_place() -> None:
    """Constants, comparisons, arithmetic, conditions, arguments, methods and statements, each once; another function stays."""
    found = {mutant.id: mutant.text for mutant in mutants(PROGRAM, ["total"])}

    assert set(found) >= {
        "total: 3 → 4",
        "total: 3 → 2",
        "total: limit < 3 → limit <= 3",
        "total: limit + 1 → limit - 1",
        "total: limit < 3 and (not frame) → limit < 3 or not frame",
        "total: not frame → not not frame",
        "total: 'a > 0' → 'a > 0_'",
        "total: True → False",
        "total: 1.5 → 3.0",
        "total: frame.where('a > 0') → without .where()",
    }
    assert any(name.endswith("→ without y") for name in found)
    assert any(name.endswith("→ without limit = limit + 1") for name in found)
    assert any(name.endswith("→ never") for name in found)
    assert not any("docstring" in name.split("→")[1] for name in found)
    assert len(set(found.values())) == len(found)
    for text in found.values():
        (function,) = ast.parse(text).body
        assert isinstance(function, ast.FunctionDef)
        assert function.name == "total"


@pytest.mark.spark
def test_what_no_check_catches_is_told(engine: Observer, kit: Path) -> None:
    """Of a solution with a line that does nothing, what changes that line survives; all that changes the answer is caught."""
    path = kit / "solutions/toy/solution.py"
    path.write_text(path.read_text().replace("    return 2 * number", "    idle = 7\n    return 2 * number"))
    answer_key = AnswerKey.load(Catalog(kit), "toy")

    found = survivors(answer_key, silent, ["double"], observer=lambda *_: engine)

    assert {mutant.id for mutant in found} == {"double: 7 → 8", "double: 7 → 6"}


def test_the_command_tells_them_and_fails(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mutant that equivalent.toml names with a reason is left out."""
    monkeypatch.setenv("AUTOGRADER_ROOT", str(kit))
    found = list(mutants("def double(n):\n    return 2 * n\n", ["double"]))
    monkeypatch.setattr(real_strength, "survivors", lambda *_: found)
    (kit / "solutions/toy/equivalent.toml").write_text(f'[double]\n"{found[0].id}" = "Only here."\n')

    done = CliRunner().invoke(main, ["strength", "toy", "--real"])

    assert done.exit_code == 1
    assert f"toy: no check catches {found[1].id}" in done.output
    assert f"no check catches {found[0].id}" not in done.output
    assert f"toy: {len(found) - 1} mutants of the solution that no check catches" in done.output
