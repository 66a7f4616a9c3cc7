"""TOML that the kit writes reads as what was meant."""

from __future__ import annotations

import tomllib
from pathlib import Path

from autograder.authoring.manifests import released
from autograder.content import variants
from autograder.content.catalog import Catalog
from autograder.model import Variant

TOY = Catalog(Path(__file__).parent / "kit")
#: What TOML has to escape, and what it has not.
HARD = 'a "quoted" \\ line\nand another\t\x7f, ä, 字, #, [x]'


def test_a_released_manifest_is_the_manifest_without_hidden_checks() -> None:
    """Nothing else changes but the default that is released."""
    toy = TOY.assignment("toy")
    least = toy.parameters["least"].choices[-1]
    text = released(TOY, toy, {"least": least})

    meant = tomllib.loads(TOY.manifest("toy").read_text())
    hidden = {check.id for check in toy.checks if check.hidden}
    assert hidden
    meant["checks"] = [check for check in meant["checks"] if check["id"] not in hidden]
    meant["parameters"]["least"]["default"] = least
    assert tomllib.loads(text) == meant
    assert not [check for check in hidden if f'"{check}"' in text]


def test_a_variant_is_read_as_it_was_drawn() -> None:
    """Numbers stay numbers and texts texts; the first line tells a student what the file is."""
    toy = TOY.assignment("toy")
    seen, unseen = toy.visible[0].fixtures[0], next(check for check in toy.checks if check.hidden).fixtures[0]
    text = variants.to_toml(toy, Variant({"least": 3, "word": HARD, "with space": True}, {seen: 7, unseen: 8}))

    assert text.startswith("# With these values `autograder check toy` grades your file. Keep this one beside it.\n")
    assert tomllib.loads(text) == {
        "assignment": "toy",
        "parameters": {"least": 3, "word": HARD, "with space": True},
        "seeds": {seen: 7},
    }
