"""Handouts: examples come from the oracle, with the student's own values, and show nothing hidden."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from autograder.authoring.handouts import handout
from autograder.content.catalog import Catalog, find_root
from autograder.model import KitError

CATALOG = Catalog(find_root())
SLUGS = CATALOG.slugs()


def with_text(kit: Path, text: str) -> Catalog:
    """The toy with this handout."""
    (kit / "solutions/toy/handout.md.j2").write_text(text)
    return Catalog(kit)


def test_an_example_is_what_the_oracle_emits(kit: Path) -> None:
    """Step by step, as `check` writes rows; an output without rows is none."""
    catalog = with_text(kit, '{{ example("words", "three_batches") }}')
    toy = catalog.assignment("toy")

    assert handout(catalog, toy, toy.defaults()).text == (
        "| batch | arrives | emitted |\n|---|---|---|\n| 1 | 'a', 'a' | ('a', 2) |\n| 2 | (no rows) |  |\n| 3 | 'b' | ('b', 1) |"
    )


def test_an_example_has_the_students_values(kit: Path) -> None:
    """With another value of a parameter other rows come out."""
    catalog = with_text(kit, '{{ example("counts", "three_steps") }}')
    toy = catalog.assignment("toy")
    texts = {least: handout(catalog, toy, {"least": least}).text for least in (1, 2)}

    assert texts[1] != texts[2]
    assert texts[1].splitlines()[0].startswith("| step | arrives |")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{{ example("counts", "secret") }}', "no visible check of 'counts' uses the fixture 'secret'"),
        ('{{ example("no_such", "three_steps") }}', "no visible check of 'no_such' uses the fixture 'three_steps'"),
        ("a\n{% if %}", r"handout.md.j2:2: "),
        ("a\n{{ no_such }}", r"handout.md.j2:2: 'no_such' is undefined\nIt may use: least, assignment, checks, parameters, example"),
        ("a\n{% macro m() %}\n{{ no_such }}{% endmacro %}\n{{ m() }}", r"handout.md.j2:3: 'no_such' is undefined"),
        ("a\n{{ assignment.title + 1 }}", r"handout.md.j2:2: TypeError: can only concatenate str .*\nFix the template"),
        ("a\n\n{{ 1 / 0 }}", r"handout.md.j2:3: ZeroDivisionError: division by zero\nFix the template"),
        ("{% for x in 5 %}{% endfor %}", r"handout.md.j2:1: TypeError: 'int' object is not iterable"),
        ('a\n{% include "x" %}', r"handout.md.j2:2: TypeError: no loader"),
        ("a\n{{ example() }}", r"handout.md.j2:2: TypeError: .*missing 2 required positional arguments: 'function' and 'fixture'"),
        ("a\n{% macro m() %}\n{{ m() }}{% endmacro %}\n{{ m() }}", r"handout.md.j2:3: RecursionError: maximum recursion depth"),
        ("{{" + "(" * 5000 + "}}", r"handout.md.j2:1: RecursionError: maximum recursion depth"),
    ],
)
def test_what_cannot_be_shown_is_refused(kit: Path, text: str, says: str) -> None:
    """A hidden fixture above all."""
    catalog = with_text(kit, text)
    toy = catalog.assignment("toy")

    with pytest.raises(KitError, match=says):
        handout(catalog, toy, toy.defaults())


def test_the_table_of_parameters_has_the_students_values() -> None:
    """Not the defaults."""
    assignment = CATALOG.assignment("watermarks")
    text = handout(CATALOG, assignment, {**assignment.defaults(), "window": "30 minutes"}).text

    assert "| `window` | 30 minutes |" in text
    assert "With a window of 30 minutes" in text


@pytest.mark.parametrize("slug", SLUGS)
def test_a_handout_says_what_is_compared(slug: str) -> None:
    """In a section of its own, with a line on the order of rows: it counts in the functions that the manifest calls ordered."""
    assignment = CATALOG.assignment(slug)
    text = handout(CATALOG, assignment, assignment.defaults()).text
    section = text.partition("\n## What is checked\n")[2].partition("\n## ")[0]
    ordered = {name for name, function in assignment.functions.items() if function.ordered}

    assert "order" in section
    assert {name for name in assignment.functions if f"order of rows counts in `{name}`" in section} == ordered


@pytest.mark.parametrize("slug", SLUGS)
def test_figures_are_the_same_each_time(slug: str) -> None:
    """The same bytes, well-formed, with a line for every step that has data; each is shown in the text."""
    assignment = CATALOG.assignment(slug)
    first, second = (handout(CATALOG, assignment, assignment.defaults()) for _ in range(2))

    assert first == second
    for name, figure in first.figures.items():
        assert f"]({name})" in first.text
        texts = [element.text for element in ElementTree.fromstring(figure).iter("{http://www.w3.org/2000/svg}text")]
        assert {"step 1", "event time", "event"} <= set(texts)


def test_assignments_in_event_time_have_figures() -> None:
    """Windows and watermark are drawn where there are any."""
    found = {slug: set(handout(CATALOG, CATALOG.assignment(slug), CATALOG.assignment(slug).defaults()).figures) for slug in SLUGS}

    assert {slug for slug, names in found.items() if names} == {"windowed_counts", "output_modes", "watermarks"}
