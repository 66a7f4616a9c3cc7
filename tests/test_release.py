"""What students get: nothing hidden in it, and the same reports from it."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.authoring import packing
from autograder.content.catalog import Catalog
from autograder.engines.base import Observer
from autograder.grading.answer_key import AnswerKey
from autograder.grading.redaction import for_student
from autograder.grading.waves import Grading
from autograder.judge.compare import same_steps
from autograder.model import Hint, StepOutput
from autograder.reports import terminal
from autograder.submission.read import Submission
from tests.conftest import HERE, MIXED, grade_file

pytestmark = pytest.mark.spark

ROOT = HERE.parent
CATALOG, TOY = Catalog(ROOT), Catalog(HERE / "kit")
SLUGS = CATALOG.slugs()
#: Lines shorter than this say nothing; in the engine's own code ordinary ones are longer.
SHORT, SHORT_IN_THE_ENGINE = 12, 26
#: Lines of solutions that the engine has too: ordinary Python, ordinary kafka-python.
ORDINARY = {
    "except (TypeError, ValueError):",
    "for place, records in polled.items():",
    "admin = KafkaAdminClient(bootstrap_servers=bootstrap)",
}


# nothing hidden


def test_nothing_hidden_is_in_it(released: Path) -> None:
    """No byte of the folder, its git objects, the zip and the wheel names a hidden fixture, holds a line of it, or of a solution."""
    files = {str(path.relative_to(released)): path.read_bytes() for path in released.rglob("*") if path.is_file()}
    objects = subprocess.run(["git", "cat-file", "--batch-all-objects", "--batch"], cwd=released, capture_output=True, check=True).stdout
    archive = released.with_name("course.zip").read_bytes()

    places = dict(opened({**files, "git objects": objects, "course.zip": archive}))

    assert sum(".whl!autograder/grading/session.py" in name for name in places) == 2, "the wheel of the folder and that of the zip are open"
    assert b"late_inside.jsonl" in objects
    assert leaks(places) == []


def test_the_wheel_is_the_engine_alone(released: Path) -> None:
    """No content and no tests are in it."""
    (path,) = released.glob("wheels/*.whl")
    names = zipfile.ZipFile(path).namelist()

    assert {name.split("/")[0] for name in names} == {"autograder", f"{'-'.join(path.name.split('-')[:2])}.dist-info"}
    assert {Path(name).suffix for name in names if name.startswith("autograder/")} <= {".py", ".xml", ".lock", "", ".conf", ".j2"}
    assert "autograder/broker/broker.lock" in names


HIDDEN_LINE = '{"add": {"views": [["@", "zanzibar"], ["@", "zanzibar"]]}}'
SOLVED = 'return views.groupBy("page").agg(F.count("*").alias("views")).where(F.col("views") >= least)'


@pytest.mark.parametrize(
    ("name", "planted"),
    [
        ("Makefile", "# see secret.jsonl"),
        ("fixtures/toy/visible/numbers.jsonl", HIDDEN_LINE),
        ("assignments/toy/toy.py", f"        {SOLVED}  # done"),
        ("assignments/toy/toy.ipynb", json.dumps({"source": [SOLVED + "\n"]})),
        ("assignments/toy/expected.json", "seen = seen if totals else Counter()"),
        ("assignments/toy/expected.json", '"the secret stream"'),
        ("assignments/toy/assignment.toml", 'fixtures = ["secret"]'),
        ("assignments/toy/assignment.toml", 'fixtures = [\n    "secret",\n]'),
        ("assignments/toy/assignment.toml", "Think of pages that come again."),
        ("wheels/autograder.whl!autograder/toy.py", f"def counts(views, least):\n    {SOLVED}\n"),
        ("wheels/autograder.whl!autograder/toy.jsonl", HIDDEN_LINE),
    ],
)
def test_the_search_finds_what_is_planted(toy_files: dict[str, bytes], name: str, planted: str) -> None:
    """The search can fail: one line anywhere is found, in a wheel in a zip too."""
    files = {path: content for path, content in toy_files.items() if not path.endswith(".whl")}
    outer, _, inner = name.partition("!")
    content = packing.zip_bytes({inner.partition("/")[2]: planted.encode()}, "autograder") if inner else planted.encode()
    planted_in = {**files, outer: files.get(outer, b"") + content}

    assert leaks(dict(opened(files)), TOY) == []
    assert leaks(dict(opened(planted_in)), TOY)
    assert leaks(dict(opened({"course.zip": packing.zip_bytes(planted_in, "course")})), TOY)


def opened(files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """All files, and what is in the zips among them, however deep."""
    for name, content in files.items():
        yield name, content
        if content.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                yield from opened({f"{name}!{member}": archive.read(member) for member in archive.namelist()})


def leaks(places: Mapping[str, bytes], catalog: Catalog = CATALOG) -> list[str]:
    """Where a secret stands, as it is or as JSON writes it."""
    secrets = {form: secret for secret in sorted(secret_texts(catalog)) for form in (secret.encode(), json.dumps(secret)[1:-1].encode())}
    found = [
        f"{name}: {text}" for name, content in places.items() for form, text in secrets.items() if form in content and tells(name, text)
    ]
    fixtures = {path.stem for path in hidden_fixtures(catalog)}
    for name, content in places.items():
        named = re.findall(r'^fixtures = \[([^\]]*)\]|"fixture": (".*?")', content.decode(errors="replace"), re.MULTILINE)
        found += [f"{name}: fixture {fixture}" for fixture in fixtures if any(f'"{fixture}"' in text for texts in named for text in texts)]
    return found


def tells(name: str, text: str) -> bool:
    """Whether a line of a solution says something where it stands: the engine has ordinary ones of its own."""
    code = ".whl!autograder/" in name and name.endswith(".py")
    return not code or (len(text) >= SHORT_IN_THE_ENGINE and text not in ORDINARY and not text.startswith(("import ", "from ")))


def secret_texts(catalog: Catalog) -> set[str]:
    """Names, lines and sentences of hidden fixtures, hints of hidden checks, and lines of what stands under solutions/."""
    visible = "\n".join(path.read_text() for path in catalog.root.glob("fixtures/*/visible/*.jsonl"))
    secrets = {path.name for path in hidden_fixtures(catalog)}
    for path in hidden_fixtures(catalog):
        lines = path.read_text().splitlines()
        secrets |= {line for line in [*lines, json.loads(lines[0])["says"]] if line not in visible}
    for slug in catalog.slugs():
        outside = re.sub(r"### BEGIN SOLUTION.*?### END SOLUTION", "", catalog.solution(slug).read_text(), flags=re.DOTALL)
        given = catalog.skeleton(slug).read_text() + catalog.handout(slug).read_text() + outside
        lines = [line.strip() for path in catalog.solutions(slug).rglob("*.py") for line in path.read_text().splitlines()]
        secrets |= {line for line in lines if len(line) >= SHORT and line not in given and not line.startswith("### ")}
    checks = [check for slug in catalog.slugs() for check in catalog.assignment(slug).checks]
    hints = {hidden: {says(hint) for check in checks if check.hidden is hidden for hint in check.hints} for hidden in (True, False)}
    return secrets | (hints[True] - hints[False])


def says(hint: str | Hint) -> str:
    """The line to try, whatever it is for."""
    return hint if isinstance(hint, str) else hint.says


def hidden_fixtures(catalog: Catalog) -> list[Path]:
    """The files of all hidden fixtures."""
    return sorted(catalog.root.glob("fixtures/*/hidden/*.jsonl"))


# the same judgement


@pytest.mark.parametrize("slug", SLUGS)
def test_a_manifest_has_the_visible_checks_alone(released: Path, slug: str) -> None:
    """They are unchanged, and so is all that is not a check. The hint that the handout names can be asked for."""
    kit, ours = CATALOG.assignment(slug), Catalog(released).assignment(slug)

    assert ours.checks == tuple(check for check in kit.checks if not check.hidden)
    assert (ours.parameters, ours.functions, ours.limits) == (kit.parameters, kit.functions, kit.limits)
    named = re.search(rf"autograder hint {slug} (\w+)", CATALOG.handout(slug).read_text())
    assert named
    assert named[1] in {check.id for check in ours.checks}
    assert (ours.title, ours.summary, ours.order) == (kit.title, kit.summary, kit.order)


@pytest.mark.parametrize("slug", SLUGS)
def test_answers_are_the_oracles(released: Path, slug: str) -> None:
    """Of every visible check the release expects the same rows, and of every mistake predicts the same where it is not right."""
    kit, ours = AnswerKey.load(CATALOG, slug), AnswerKey.load(Catalog(released), slug)
    values = ours.values(ours.assignment.defaults(), {})

    for check in ours.assignment.checks:
        function = ours.function(check)
        call = {name: {**values, **check.parameters}[name] for name in function.parameters}
        known = {mistake.id: mistake for mistake in ours.expectation.mistakes[function.name]}
        for fixture in ours.fixtures(check, values):
            right = kit.expected(check, fixture, values)
            assert judged(ours.expected(check, fixture, values)) == judged(right)
            for mistake in kit.expectation.mistakes[function.name]:
                outputs = tuple(mistake.emits(fixture, **call)) if mistake.emits else right
                predicts = known[mistake.id].emits if mistake.id in known else None
                assert mistake.id not in known or (known[mistake.id].says, known[mistake.id].failure) == (mistake.says, mistake.failure)
                if not same_steps(function, right, outputs):
                    assert predicts
                    assert judged(predicts(fixture, **call)) == judged(outputs)
                elif predicts:
                    assert same_steps(function, right, predicts(fixture, **call))


def judged(outputs: tuple[StepOutput, ...]) -> str:
    """What the judge looks at."""
    return repr([[(batch.rows, batch.state) for batch in output.batches] for output in outputs])


@pytest.mark.parametrize("sample", ["skeleton", "right", "half_right"])
def test_the_same_report_as_in_the_kit(engine: Observer, released: Path, sample: str) -> None:
    """On real Spark: outcomes, points, messages, diagnosis and evidence of the visible checks. It is replayed once and judged twice."""
    slug = "watermarks"
    file = released / f"assignments/{slug}/{slug}.py" if sample == "skeleton" else CATALOG.solutions(slug) / f"samples/{sample}.py"
    gradings, reports = [], []
    for catalog in (CATALOG, Catalog(released)):
        answer_key = AnswerKey.load(catalog, slug)
        visible = [check for check in answer_key.assignment.checks if not check.hidden]
        gradings.append(Grading(answer_key, Submission.read(file), answer_key.values(answer_key.assignment.defaults(), {}), engine))
        gradings[-1].seen = dict(gradings[0].seen)
        reports.append(gradings[-1].report(visible))

    assert gradings[0].seen == gradings[1].seen, "the release asked for a replay of its own"
    assert reports[0] == reports[1]
    assert (reports[1].points, reports[1].max_points) == ({"skeleton": 0, "right": 15, "half_right": 7}[sample], 15)
    assert any(check.mistake for check in reports[1].checks) == (sample == "half_right")


def test_make_check_with_the_wheel(engine: Observer, toy: AnswerKey, toy_release: Path, tmp_path: Path) -> None:
    """The release's Makefile and the engine of its wheel say what the kit says, and that there are hidden checks."""
    (path,) = toy_release.glob("wheels/*.whl")
    zipfile.ZipFile(path).extractall(tmp_path / "site")
    environment(toy_release, tmp_path / "site")
    file = toy_release / "assignments/toy/toy.py"
    file.write_text(MIXED)
    kit = grade_file(engine, toy, file, tuple(check.id for check in toy.assignment.checks if not check.hidden))

    done = run(["make", "check", "A=toy"], toy_release)
    unknown = run(["make", "check", "A=nothing"], toy_release)

    text = terminal.to_text(replace(for_student(kit), sandbox="own machine"))
    assert done.stdout == f"{text}The hidden checks are run when your submission is graded.\n\n", done.stderr
    assert "1 of 6 points" in text
    assert unknown.returncode == 2
    assert "There is no assignment called 'nothing'.\nKnown assignments: toy." in unknown.stderr


def environment(folder: Path, site: Path) -> None:
    """What `make setup` leaves, with this Python and the wheel's files in place of an installation."""
    (folder / ".venv/bin").mkdir(parents=True)
    (folder / ".venv/bin/autograder").write_text(f"#!/bin/sh\nPYTHONPATH='{site}' exec '{sys.executable}' -m autograder \"$@\"\n")
    (folder / ".venv/bin/autograder").chmod(0o755)
    (folder / ".venv/ready").touch()


def run(command: list[str], cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder as a student does: the content is found from where one stands."""
    plain = {name: value for name, value in os.environ.items() if name not in {"AUTOGRADER_ROOT", "PYTHONPATH", "MAKEFLAGS", "MAKELEVEL"}}
    return subprocess.run(command, cwd=cwd, env=plain | env, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
