"""What students get: nothing hidden in it, the same reports from it, the same bytes each time."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder.authoring import packing, wheel
from autograder.authoring.release import release_files
from autograder.catalog import Catalog
from autograder.cli import main
from autograder.engine import Engine
from autograder.grading import Course, Grading, Submission
from autograder.judge.compare import same_steps
from autograder.model import KitError, StepOutput
from tests.conftest import HERE, MIXED

ROOT = HERE.parent
CATALOG, TOY = Catalog(ROOT), Catalog(HERE / "kit")
SLUGS = CATALOG.slugs()
#: Lines shorter than this say nothing; in the engine's own code ordinary ones are longer.
SHORT, SHORT_IN_THE_ENGINE = 12, 26
#: Lines of solutions that the engine has too: ordinary Python, ordinary kafka-python.
ORDINARY = {"except (TypeError, ValueError):", "admin = KafkaAdminClient(bootstrap_servers=bootstrap)"}


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All assignments in one release: a folder that is a git repository, with a zip beside it."""
    out = tmp_path_factory.mktemp("release") / "course"
    packing.release(CATALOG, SLUGS, out, zipped=True, repository=True)
    return out


@pytest.fixture(scope="session")
def toy_files() -> dict[str, bytes]:
    """A release of the toy."""
    return release_files(TOY, ["toy"], {})


@pytest.fixture
def toy_release(tmp_path: Path, toy_files: dict[str, bytes]) -> Path:
    """The toy's release in a folder."""
    return laid_out(toy_files, tmp_path / "course")


def laid_out(files: Mapping[str, bytes], folder: Path) -> Path:
    """Write files below a folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


# nothing hidden


def test_nothing_hidden_is_in_it(released: Path) -> None:
    """No byte of the folder, its git objects, the zip and the wheel names a hidden fixture, holds a line of it, or of a solution."""
    files = {str(path.relative_to(released)): path.read_bytes() for path in released.rglob("*") if path.is_file()}
    objects = subprocess.run(["git", "cat-file", "--batch-all-objects", "--batch"], cwd=released, capture_output=True, check=True).stdout
    archive = released.with_name("course.zip").read_bytes()

    places = dict(opened({**files, "git objects": objects, "course.zip": archive}))

    assert sum(".whl!autograder/grading.py" in name for name in places) == 2, "the wheel of the folder and that of the zip are open"
    assert b"late_inside.jsonl" in objects
    assert leaks(places) == []


def test_the_wheel_is_the_engine_alone(released: Path) -> None:
    """No content and no tests are in it."""
    (path,) = released.glob("wheels/*.whl")
    names = zipfile.ZipFile(path).namelist()

    assert {name.split("/")[0] for name in names} == {"autograder", f"{'-'.join(path.name.split('-')[:2])}.dist-info"}
    assert {Path(name).suffix for name in names if name.startswith("autograder/")} <= {".py", ".xml", ".lock", "", ".conf"}
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
        named = re.findall(r'^fixtures = \[(.*)\]|"fixture": (".*?")', content.decode(errors="replace"), re.MULTILINE)
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
    hints = {hidden: {hint for check in checks if check.hidden is hidden for hint in check.hints} for hidden in (True, False)}
    return secrets | (hints[True] - hints[False])


def hidden_fixtures(catalog: Catalog) -> list[Path]:
    """The files of all hidden fixtures."""
    return sorted(catalog.root.glob("fixtures/*/hidden/*.jsonl"))


# the same judgement


@pytest.mark.parametrize("slug", SLUGS)
def test_a_manifest_has_the_visible_checks_alone(released: Path, slug: str) -> None:
    """They are unchanged, and so is all that is not a check."""
    kit, ours = CATALOG.assignment(slug), Catalog(released).assignment(slug)

    assert ours.checks == tuple(check for check in kit.checks if not check.hidden)
    assert (ours.parameters, ours.functions, ours.limits) == (kit.parameters, kit.functions, kit.limits)
    assert (ours.title, ours.summary, ours.order) == (kit.title, kit.summary, kit.order)


@pytest.mark.parametrize("slug", SLUGS)
def test_answers_are_the_oracles(released: Path, slug: str) -> None:
    """Of every visible check the release expects the same rows, and of every mistake predicts the same where it is not right."""
    kit, ours = Course.load(CATALOG, slug), Course.load(Catalog(released), slug)
    values = ours.values({})

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
                assert mistake.id not in known or (known[mistake.id].says, known[mistake.id].trouble) == (mistake.says, mistake.trouble)
                if not same_steps(function, right, outputs):
                    assert predicts
                    assert judged(predicts(fixture, **call)) == judged(outputs)
                elif predicts:
                    assert same_steps(function, right, predicts(fixture, **call))


def judged(outputs: tuple[StepOutput, ...]) -> str:
    """What the judge looks at."""
    return repr([[(batch.rows, batch.state) for batch in output.batches] for output in outputs])


@pytest.mark.parametrize("sample", ["skeleton", "right", "half_right"])
def test_the_same_report_as_in_the_kit(engine: Engine, released: Path, sample: str) -> None:
    """On real Spark: outcomes, points, messages, diagnosis and evidence of the visible checks. It is replayed once and judged twice."""
    slug = "watermarks"
    file = released / f"assignments/{slug}/{slug}.py" if sample == "skeleton" else CATALOG.solutions(slug) / f"samples/{sample}.py"
    gradings, reports = [], []
    for catalog in (CATALOG, Catalog(released)):
        course = Course.load(catalog, slug)
        visible = [check for check in course.assignment.checks if not check.hidden]
        gradings.append(Grading(course, Submission.read(file), course.values({}), engine))
        gradings[-1].seen = dict(gradings[0].seen)
        reports.append(gradings[-1].report(visible))

    assert gradings[0].seen == gradings[1].seen, "the release asked for a replay of its own"
    assert reports[0] == reports[1]
    assert (reports[1].points, reports[1].max_points) == ({"skeleton": 0, "right": 15, "half_right": 7}[sample], 15)
    assert any(check.mistake for check in reports[1].checks) == (sample == "half_right")


def test_make_check_with_the_wheel(toy_release: Path, tmp_path: Path) -> None:
    """The release's Makefile and the engine of its wheel say what the kit's check says, and that there are hidden checks."""
    (path,) = toy_release.glob("wheels/*.whl")
    zipfile.ZipFile(path).extractall(tmp_path / "site")
    environment(toy_release, tmp_path / "site")
    (toy_release / "assignments/toy/toy.py").write_text(MIXED)
    shutil.copy(toy_release / "assignments/toy/toy.py", tmp_path / "toy.py")

    ours = run(["make", "check", "A=toy"], toy_release)
    kit = run([sys.executable, "-m", "autograder", "check", "toy"], tmp_path, AUTOGRADER_ROOT=str(TOY.root), PYTHONPATH=str(ROOT))
    unknown = run(["make", "check", "A=nothing"], toy_release)

    assert ours.stdout == kit.stdout + "\n", ours.stderr
    assert "It looks like this" in ours.stdout or "✘" in ours.stdout
    assert "The hidden checks are run when your submission is graded." in ours.stdout
    assert "There is no assignment called 'nothing'.\nKnown assignments: toy." in unknown.stderr
    assert unknown.returncode == 2


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


def test_other_values(tmp_path: Path) -> None:
    """A release for other values of the parameters has them as its defaults, in the handout and in its answers."""
    course = laid_out(release_files(TOY, ["toy"], {"toy": {"least": 2}}), tmp_path)
    loaded = Course.load(Catalog(course), "toy")

    assert loaded.values({}) == {"least": 2}
    assert "at least 2 views" in (course / "assignments/toy/README.md").read_text()
    with pytest.raises(KitError, match=r"This release of toy has no answers for these parameters.\nIt has them for least = 2."):
        loaded.values({"least": "1"})
    with pytest.raises(KitError, match=r"toy: least = 9 is no choice of a parameter"):
        release_files(TOY, ["toy"], {"toy": {"least": 9}})


# the same bytes


def test_two_releases_are_the_same_bytes(released: Path, tmp_path: Path) -> None:
    """Folder, zip, wheel and commit, also when the wheel is built again and the slugs come in another order."""
    wheel.wheel.cache_clear()
    again = tmp_path / "course"
    packing.release(CATALOG, [*reversed(SLUGS), SLUGS[0]], again, zipped=True, repository=True)

    assert contents(again) == contents(released)
    assert again.with_name("course.zip").read_bytes() == released.with_name("course.zip").read_bytes()
    assert [head(folder) for folder in (released, again)] == [head(released)] * 2
    assert run(["git", "status", "--short"], again).stdout == ""


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but git's own."""
    paths = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def head(folder: Path) -> str:
    """The commit's id."""
    return run(["git", "rev-parse", "HEAD"], folder).stdout


def test_a_release_over_an_earlier_one(kit: Path, tmp_path: Path) -> None:
    """What the earlier one wrote and this one does not is removed; what somebody else put there stays."""
    out = tmp_path / "course"
    packing.release(Catalog(kit), ["toy"], out, zipped=False, repository=False)
    (out / "own.txt").write_text("mine")
    for folder in ("assignments", "solutions", "fixtures"):
        (kit / folder / "toy").rename(kit / folder / "second")
    packing.release(Catalog(kit), ["second"], out, zipped=False, repository=False)

    assert {path.name for path in (out / "assignments").iterdir()} == {"second"}
    assert {path.name for path in (out / "fixtures").iterdir()} == {"second"}
    assert (out / "own.txt").read_text() == "mine"


def test_notebooks_come_along_and_stray_files_do_not(kit: Path) -> None:
    """Of an assignment's folder the notebooks are given out; a fixture that no visible check uses is not."""
    (kit / "assignments/toy/toy.ipynb").write_text("{}")
    (kit / "assignments/toy/notes.txt").write_text("for colleagues")
    shutil.copy(kit / "fixtures/toy/hidden/secret.jsonl", kit / "fixtures/toy/visible/draft.jsonl")

    files = release_files(Catalog(kit), ["toy"], {})

    assert {name for name in files if name.startswith(("assignments/", "fixtures/"))} == {
        *(f"assignments/toy/{name}" for name in ("README.md", "assignment.toml", "expected.json", "toy.ipynb", "toy.py")),
        *(f"fixtures/toy/visible/{name}.jsonl" for name in ("numbers", "three_batches", "three_steps")),
    }


def test_a_course_has_its_own_look(kit: Path) -> None:
    """A template in the content's own folder is used in place of the kit's; one that does not render names itself."""
    own = kit / "templates/release/README.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text("# Streams at Lund: {{ assignments[0].title }}\n")

    assert release_files(Catalog(kit), ["toy"], {})["README.md"] == b"# Streams at Lund: A toy\n"
    own.write_text("{{ course }}\n")
    with pytest.raises(KitError, match=r"templates/release: 'course' is undefined\nA template may use: assignments"):
        release_files(Catalog(kit), ["toy"], {})
    own.write_text("\n{% if %}\n")
    with pytest.raises(KitError, match=r"README.md.j2:2: Expected"):
        release_files(Catalog(kit), ["toy"], {})


def test_requirements_are_those_of_the_kit() -> None:
    """The run-time lock holds the very pins of the development lock, and no development tool."""
    run_lock, dev_lock = ({*re.split(r"\n(?=\S)", (ROOT / f"requirements/{name}.lock").read_text().strip())} for name in ("run", "dev"))

    assert run_lock < dev_lock
    assert not any(entry.startswith(("pytest", "mypy", "ruff", "hypothesis")) for entry in run_lock)


# bad input


def autograder(*arguments: str, root: Path = TOY.root) -> Result:
    """Run the command on some content."""
    return CliRunner(env={"AUTOGRADER_ROOT": str(root)}).invoke(main, [*arguments])


def assert_refused(result: Result, text: str) -> None:
    """Exit code 2 and two lines that begin with a text."""
    assert result.exit_code == 2, result.output
    assert re.match(f"autograder: {text}", result.output), result.output
    assert len(result.output.splitlines()) == 2


def test_release_by_command(tmp_path: Path) -> None:
    """The verb says what it made; a second time it writes over its own."""
    out = tmp_path / "course"

    done = [autograder("release", "toy", "--out", str(out), *options) for options in (["--zip"], [])]

    assert [result.exit_code for result in done] == [0, 0], done[0].output
    assert re.fullmatch(rf"{out}: \d+ files\n{out}.zip: the same, zipped\n", done[0].output)
    names = zipfile.ZipFile(f"{out}.zip").namelist()
    assert {f"course/{name}" for name in contents(out)} == set(names)


def test_release_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown slug, a folder that is somebody's, a repository, no git, a place that cannot be written, no checkout."""
    out, theirs = tmp_path / "course", tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "thesis.tex").write_text("all of it")

    assert_refused(autograder("release", "nothing", "--out", str(out)), "There is no assignment called 'nothing'.\nKnown assignments: toy.")
    assert_refused(autograder("release", "toy", "--out", str(theirs)), f"{theirs} is not empty, and no release made it.\nName a new folder")
    (theirs / ".release.json").write_text('{"files": ["../course/own.txt"]}')
    assert_refused(autograder("release", "toy", "--out", str(theirs)), f"{theirs} is not empty")
    assert_refused(
        autograder("release", "toy", "--out", str(theirs / "thesis.tex/course")), f"{theirs}/thesis.tex/course cannot be written"
    )
    (out / ".git").mkdir(parents=True)
    (out / ".release.json").write_text('{"files": []}')
    assert_refused(autograder("release", "toy", "--out", str(out), "--git"), f"{out} already is a git repository.\nLeave --git out")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert_refused(autograder("release", "toy", "--out", str(tmp_path / "new"), "--git"), "git was not found on the PATH.\nInstall it")
    monkeypatch.setattr(wheel, "__file__", str(tmp_path / "site-packages/autograder/authoring/wheel.py"))
    assert_refused(autograder("release", "toy", "--out", str(tmp_path / "new")), "A release is made from a checkout of the kit")
    assert {path.name for path in tmp_path.iterdir()} == {"course", "theirs"}


def test_a_wheel_that_cannot_be_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last line of what went wrong, and what to do."""
    wheel.wheel.cache_clear()
    monkeypatch.setattr(wheel, "_BUILD", "import setuptools_that_is_not_there")

    with pytest.raises(KitError, match=r"wheel could not be built: ModuleNotFoundError.*\nSet the kit up again"):
        wheel.wheel()


ANSWERS = "assignments/toy/expected.json"


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('{"version"', '"version"', r".*expected.json: not valid JSON: .*\nTake the file from the release again."),
        ('"version": 1', '"version": 2', r".*expected.json: version: Input should be 1\n"),
        ('"says"', '"said"', r".*expected.json: mistakes.counts.0.says: Field required\n"),
        ('"emits": [', '"emits": [7, ', r".*expected.json: answers.0.emits.0: Input should be a valid list\n"),
        (
            '"fixture": "numbers", "fed": "',
            '"fixture": "numbers", "fed": "0',
            r".*has no answer for fixture 'numbers' as it stands here.\nTake",
        ),
        ('"function": "double"', '"function": "triple"', r".*has no answer for fixture 'numbers' as it stands here.\nTake"),
    ],
)
def test_damaged_answers(toy_release: Path, old: str, new: str, text: str) -> None:
    """What is damaged is told before anything is run."""
    path = toy_release / ANSWERS
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))

    assert_refused(autograder("check", "toy", str(toy_release / "assignments/toy/toy.py"), root=toy_release), text)


def test_what_a_release_has_no_answer_for(toy_release: Path) -> None:
    """Other values of the parameters, changed fixtures, and what needs the hidden checks."""
    file = str(toy_release / "assignments/toy/toy.py")
    fixture = toy_release / "fixtures/toy/visible/three_steps.jsonl"

    refused = autograder("check", "toy", file, "-p", "least=2", root=toy_release)
    assert_refused(refused, "This release of toy has no answers for these parameters.\nIt has them for least = 1.")
    for verb in (("grade", "toy", file), ("verify", "toy")):
        assert_refused(autograder(*verb, root=toy_release), "toy stands here as it was released, without hidden checks and solutions.")
    assert "counts_hidden" not in autograder("hint", "toy", root=toy_release).output
    fixture.write_text(fixture.read_text().replace('"c"', '"d"'))
    assert_refused(autograder("check", "toy", file, root=toy_release), ".*has no answer for fixture 'three_steps' as it stands here.\nTake")


def test_an_output_that_json_cannot_hold(kit: Path) -> None:
    """It is refused where the release is made, not found by students."""
    path = kit / "solutions/toy/expected.py"
    path.write_text(path.read_text().replace("2 * step.arguments[0]", "(2, 1)"))

    with pytest.raises(KitError, match=r"expected.py: JSON cannot hold .*\(2, 1\)"):
        release_files(Catalog(kit), ["toy"], {})
