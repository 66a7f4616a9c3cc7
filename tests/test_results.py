"""Results for other systems: each format by the consumer's rules, each generated script run as the system would run it."""

from __future__ import annotations

import base64
import csv
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal
from xml.etree import ElementTree

import jsonschema
import pytest
from click.testing import CliRunner
from pydantic import BaseModel, ConfigDict, Field

from autograder import ci
from autograder.catalog import Catalog
from autograder.cli import main
from autograder.cli_results import _FORMATS, _SYSTEMS
from autograder.exporting import FORMATS, export
from autograder.grading import for_student
from autograder.model import CheckReport, Evidence, KitError, Outcome, Report
from autograder.replay.localfiles import cache_folder
from autograder.reports import classroom50, github, gradebook_csv, gradescope, json_report, junit, markdown
from autograder.sandbox import bubblewrap
from tests.conftest import HERE, UNCONFINED
from tests.test_cli import RIGHT

ROOT = HERE.parent
NASTY = "a|b <script>alert(1)</script> `x` \x1b[31m ```"
SECRET = "zanzibar"
#: What Classroom 50's runner sets. Source: its wiki, "Advanced Autograding", and runner.py (run_entrypoint).
RUNNER = {
    "CLASSROOM": "streams", "ASSIGNMENT": "toy", "ASSIGNMENT_TYPE": "individual", "OWNER": "alice", "USERNAME": "alice",
    "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d", "COMMIT_URL": "git/commit/a1b2c3d", "RELEASE_URL": "git/releases/1",
    "REVIEW_URL": "git/compare/1",
}  # fmt: skip


def _report(outcomes: Sequence[Outcome] = tuple(Outcome), **changes: Any) -> Report:
    """An instructor's report: a check for each outcome, one with partial points, and one that is hidden and has data to tell."""
    evidence = Evidence(SECRET, SECRET, (f"add {SECRET}",), 0, (SECRET,), (NASTY,), (SECRET,), (NASTY,))
    checks = [
        CheckReport(
            f"c{index}", f"{NASTY} {outcome.value.lower()}", "f", False, outcome, 2.0 if outcome is Outcome.PASSED else 0.0, 2,
            message="" if outcome is Outcome.PASSED else NASTY, printed=NASTY, hint="Look again.",
        )
        for index, outcome in enumerate(outcomes)
    ]  # fmt: skip
    checks.append(CheckReport("partly", "partly right", "f", False, Outcome.FAILED, 1.33, 2, message="half of it"))
    checks.append(
        CheckReport("hidden", "nobody looks", "f", True, Outcome.FAILED, 0.0, 3, SECRET, SECRET, 7, "", SECRET, SECRET, (evidence,), SECRET)
    )
    points, most = round(sum(check.points for check in checks), 2), sum(check.max_points for check in checks)
    whole = Report(1, "0", "0", "toy", "A toy", "alice.py", "00", {"least": 1}, "instructor", "bubblewrap", points, most, tuple(checks))
    return replace(whole, **changes)


DECIDED = for_student(_report([outcome for outcome in Outcome if outcome is not Outcome.GRADER_ERROR]))
UNDECIDED = for_student(_report())
WRITERS: dict[str, Callable[[Report], str]] = {
    "gradescope": lambda report: gradescope.to_gradescope([report]),
    "github": lambda report: github.to_result([report]),
    "markdown": lambda report: markdown.to_markdown([report]),
    "csv": lambda report: gradebook_csv.to_csv([("alice", report)]),
    "classroom50": lambda report: classroom50.to_classroom50(report, RUNNER),
    "junit": junit.to_junit,
}


class _Consumer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


_Format = Literal["text", "html", "simple_format", "md", "ansi"]
_Visibility = Literal["hidden", "after_due_date", "after_published", "visible"]


class _GradescopeTest(_Consumer):
    score: Annotated[float, Field(ge=0)]
    max_score: float
    status: Literal["passed", "failed"]
    name: str
    number: Annotated[str, Field(pattern=r"^\d+\.\d+$")]
    output: str
    extra_data: dict[str, Any]


class _Gradescope(_Consumer):
    """Source: Gradescope's autograder specifications, "Output format"; it publishes no schema and no code."""

    score: float | None = None
    output: str
    output_format: _Format
    test_output_format: _Format | None = None
    test_name_format: _Format | None = None
    visibility: _Visibility | None = None
    stdout_visibility: _Visibility
    extra_data: dict[str, Any] | None = None
    tests: list[_GradescopeTest] | None = None


class _ClassroomTest(_Consumer):
    name: str
    status: Literal["pass", "fail", "error"]
    score: float
    message: str
    test_code: str
    filename: str
    line_no: int
    duration: int


class _Classroom(_Consumer):
    """Source: the graders and the reporter of classroom-resources; they are actions and no package."""

    version: Literal[1]
    status: Literal["pass", "fail", "error"]
    max_score: int
    tests: Annotated[list[_ClassroomTest], Field(min_length=1)]


_TEXT = {"type": "string", "minLength": 1}
_COUNT = {"type": "integer", "minimum": 0}
#: Source: foundation50/classroom50, schemas/result-v1.schema.json, by its rules.
CLASSROOM50 = {
    "type": "object",
    "additionalProperties": False,
    "required": ["schema", *classroom50.IDENTITY, "datetime", "score", "max-score", "tests"],
    "properties": {
        "schema": {"const": "classroom50/result/v1"},
        **dict.fromkeys(classroom50.IDENTITY, _TEXT),
        "assignment_type": {"enum": ["individual", "group"]},
        "submission": {"type": "string", "pattern": "^submit/"},
        "datetime": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$"},
        "score": _COUNT,
        "max-score": _COUNT,
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["test-name", "passed", "score", "max-score"],
                "properties": {"test-name": _TEXT, "passed": {"type": "boolean"}, "score": _COUNT, "max-score": _COUNT},
            },
        },
    },
}


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_hidden_checks_tell_no_data(writer: Callable[[Report], str]) -> None:
    """Of a hidden check a student gets the name, the outcome and the points, in every format."""
    text = writer(DECIDED)

    assert SECRET in json_report.to_json(_report())
    assert SECRET not in text
    assert "nobody looks" in text or writer is WRITERS["csv"]


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_same_report_same_bytes_and_no_control_characters(writer: Callable[[Report], str]) -> None:
    """Nothing of the clock or the machine is in a result, and nothing that moves a reader's cursor."""
    assert writer(DECIDED) == writer(DECIDED)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]|\\u00[01]|\\r", writer(DECIDED))


def test_gradescope_has_what_its_specification_asks_for() -> None:
    """Every test is visible plain text with a score, in the report's order; the total is their sum."""
    found = _Gradescope.model_validate_json(gradescope.to_gradescope([DECIDED, DECIDED]))

    assert found.tests is not None
    assert found.score == round(2 * DECIDED.points, 2) == round(sum(test.score for test in found.tests), 2)
    assert {found.output_format, found.test_output_format, found.test_name_format} == {"text"}
    assert found.visibility == "visible"
    assert [test.number for test in found.tests][-2:] == [f"2.{len(DECIDED.checks) - 1}", f"2.{len(DECIDED.checks)}"]
    assert [test.status for test in found.tests][: len(DECIDED.checks)].count("passed") == 1


def test_gradescope_gets_no_score_when_nothing_is_decided() -> None:
    """Neither a score nor tests: a zero could come of either."""
    found = json.loads(gradescope.to_gradescope([DECIDED, UNDECIDED]))

    _Gradescope.model_validate(found)
    assert set(found) == {"output", "output_format", "stdout_visibility"}
    assert "the grader failed, not your program" in found["output"]


def _announced(results: Sequence[dict[str, Any]]) -> tuple[float, int] | None:
    """The points that the reporter announces. Source: classroom-resources/autograding-grading-reporter, src/notify-classroom.js."""
    counted = [result for result in results if result["max_score"]]
    points = sum(test["score"] for result in counted for test in result["tests"]), sum(result["max_score"] for result in counted)
    return points if points[1] else None


def test_github_classroom_announces_the_points() -> None:
    """The reporter's sums are the report's; right is pass, wrong is fail, and base64 carries it as one line."""
    line = github.to_output([DECIDED])
    right = replace(DECIDED, checks=DECIDED.checks[:1], points=2, max_points=2)

    assert re.fullmatch(r"result=[A-Za-z0-9+/=]+\n", line)
    found = json.loads(base64.b64decode(line.removeprefix("result=")))
    _Classroom.model_validate(found)
    assert found["status"] == "fail"
    assert _announced([found]) == (DECIDED.points, DECIDED.max_points)
    assert json.loads(github.to_result([right]))["status"] == "pass"


def test_github_classroom_announces_nothing_when_nothing_is_decided() -> None:
    """Status error fails the job, and without a max_score the reporter is silent about points."""
    found = json.loads(github.to_result([UNDECIDED]))

    _Classroom.model_validate(found)
    assert found["status"] == "error"
    assert {"error", "fail", "pass"} == {test["status"] for test in found["tests"]}
    assert _announced([found]) is None


def test_classroom50_keeps_its_schema() -> None:
    """Whole points, none above its maximum, identity from the runner, and the submission's own time."""
    found = json.loads(classroom50.to_classroom50(DECIDED, RUNNER))

    jsonschema.validate(found, CLASSROOM50)
    assert (found["owner"], found["datetime"], found["review"]) == ("alice", "2026-06-01T14:32:05Z", "git/compare/1")
    assert found["score"] == sum(test["score"] for test in found["tests"]) == 3
    assert found["max-score"] == sum(test["max-score"] for test in found["tests"]) == DECIDED.max_points
    assert next(test["points"] for test in found["tests"] if test["test-name"] == "partly right") == "1.33"


def test_classroom50_knows_no_time_but_the_submissions() -> None:
    """Where the tag has none it is left out, and the runner stamps it; a missing review link is the commit's."""
    found = json.loads(classroom50.to_classroom50(DECIDED, {**RUNNER, "SUBMISSION_TAG": "submit/phase1", "REVIEW_URL": ""}))

    assert "datetime" not in found
    assert found["review"] == RUNNER["COMMIT_URL"]


def test_classroom50_needs_to_know_whose_result_it_is() -> None:
    """A missing variable is said by name."""
    with pytest.raises(KitError, match="CLASSROOM is not set"):
        classroom50.to_classroom50(DECIDED, {**RUNNER, "CLASSROOM": ""})


def test_csv_is_nbgraders_table() -> None:
    """The columns of nbgrader, sorted; an undecided report has no score; a name is no formula."""
    text = gradebook_csv.to_csv([("bob", UNDECIDED), ("=cmd|x", DECIDED), ("a, b", replace(DECIDED, slug="another"))])

    rows = list(csv.DictReader(io.StringIO(text)))
    assert text.splitlines()[0] == (
        "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,late_submission_penalty,score,max_score"
    )
    assert [(row["assignment"], row["student_id"], row["score"]) for row in rows] == [
        ("another", "a, b", "3.33"), ("toy", "'=cmd|x", "3.33"), ("toy", "bob", ""),
    ]  # fmt: skip
    assert rows[2]["raw_score"] == ""
    assert float(rows[0]["max_score"]) == DECIDED.max_points


def test_markdown_takes_nothing_for_markup() -> None:
    """In cells HTML, pipes and backticks are entities; what a program printed stands in a fence longer than any of its own."""
    text = markdown.to_markdown([DECIDED])
    table = [line for line in text.splitlines() if line.startswith("|")]
    fences = re.findall(r"(?ms)^(`{3,})text\n(.*?)\n\1$", text)

    assert {line.count("|") for line in table} == {5}
    assert "&lt;script&gt;" in text
    outside = re.sub(r"(?ms)^(`{3,})text\n.*?\n\1$", "", text)
    assert "<script>" not in outside
    assert "`" not in outside
    assert fences
    assert all(fence not in inside for fence, inside in fences)


def test_markdown_says_when_nothing_is_decided() -> None:
    """A fault of ours is no number of points."""
    text = markdown.to_markdown([UNDECIDED])

    assert "nothing is decided" in text.splitlines()[0]
    assert re.search(r"GRADER_ERROR \| –/2 \|", text)


def test_markdown_stays_below_githubs_limit() -> None:
    """What GitHub would show nothing of is cut to its tables."""
    text = markdown.to_markdown([DECIDED] * 600)

    assert "<details>" not in text
    assert text.count("### ") == 600


def test_junit_is_the_reports() -> None:
    """GitLab's report parses and counts failures, errors and skipped checks."""
    suite = ElementTree.fromstring(junit.to_junit(UNDECIDED))[0]

    assert [suite.get(name) for name in ("failures", "errors", "skipped")] == ["7", "2", "1"]


def _saved(folder: Path, report: Report, *parts: str) -> Path:
    path = folder.joinpath(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json_report.to_json(report))
    return path


@pytest.mark.parametrize("name", FORMATS)
def test_export_writes_every_format_of_an_instructors_report(tmp_path: Path, name: str) -> None:
    """The verb tells students no more than they may see, writes where it is told to, and exits with 3 when nothing is decided."""
    decided = _saved(tmp_path, _report([Outcome.PASSED]), "instructor.json")
    undecided = _saved(tmp_path, _report(), "undecided.json")
    runner = CliRunner(env=RUNNER)

    good = runner.invoke(main, ["export", name, str(decided), "--out", str(tmp_path / "out/result")])
    bad = runner.invoke(main, ["export", name, str(undecided)])

    assert (good.exit_code, bad.exit_code) == (0, 3), good.output + bad.output
    assert SECRET not in (tmp_path / "out/result").read_text()
    assert SECRET not in bad.output
    assert (tmp_path / "out/result").read_text() == runner.invoke(main, ["export", name, str(decided)]).stdout
    if name == "classroom50":
        assert bad.stdout == ""


def test_csv_knows_whose_reports_they_are(tmp_path: Path) -> None:
    """alice.py and alice_toy.py are alice's; where all are called toy.py, it is the folder given to `grade --out`."""
    for name in ("alice", "bob_toy"):
        _saved(tmp_path, replace(DECIDED, submission=f"{name}.py"), "toy", name, "report.json")
    _saved(tmp_path, replace(DECIDED, submission="toy.py"), "carol", "toy", "toy", "report.json")

    text = export("csv", [tmp_path], {}).text

    assert text is not None
    assert [row["student_id"] for row in csv.DictReader(io.StringIO(text))] == ["alice", "bob", "carol"]


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (["csv", "empty"], "There is no report.json in empty.\nName the folder"),
        (["csv", "binary"], "binary cannot be read: "),
        (["github", "text"], "text is no report: the file: Invalid JSON"),
        (["github", "other"], "other is no report: version: Input should be 1"),
        (["junit", "one", "one"], "The format junit takes one report, here are 2.\nName one report.json."),
        (["csv", "one", "one"], "There are two reports of alice for toy.\nLeave the older one out."),
        (["csv", "nothing"], "does not exist"),
    ],
)
def test_what_is_no_report_is_refused_in_two_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], lines: str
) -> None:
    """Exit code 2, what is wrong, and what to do."""
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("binary").write_bytes(b"\xff\xfe")
    Path("text").write_text("points: 3")
    Path("other").write_text(json.dumps({**json.loads(json_report.to_json(DECIDED)), "version": 9}))
    _saved(tmp_path, DECIDED, "one")

    done = CliRunner().invoke(main, ["export", *arguments])

    assert done.exit_code == 2
    assert lines in done.stderr
    assert not done.stdout


def test_the_verbs_know_all_formats_and_systems() -> None:
    """The command line names them without importing what writes them."""
    assert (_FORMATS, _SYSTEMS) == (FORMATS, ci.SYSTEMS)


@pytest.fixture
def content(kit: Path) -> Catalog:
    """The toy kit with the project's templates."""
    shutil.copytree(ROOT / "templates", kit / "templates")
    return Catalog(kit)


def test_ci_says_what_is_missing(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No templates, or no such assignment: two lines and exit code 2."""
    monkeypatch.setenv("AUTOGRADER_ROOT", str(kit))
    for arguments, text in (
        (["github"], "There are no templates in "),
        (["gitlab", "nothing"], "There is no assignment called 'nothing'."),
    ):
        done = CliRunner().invoke(main, ["ci", *arguments, "--out", str(kit)])
        assert done.exit_code == 2
        assert text in done.stderr


@pytest.mark.parametrize(("broken", "text"), [("{% if %}", "autograder.yml.j2:2: "), ("{= nothing =}", "'nothing' is undefined")])
def test_a_template_that_jinja_refuses_is_named(content: Catalog, broken: str, text: str) -> None:
    """Instructors may change templates; the file and what is wrong are said."""
    path = content.root / "templates/ci/github/.github/workflows/autograder.yml.j2"
    path.write_text(f"# mine\n{broken}\n")

    with pytest.raises(KitError) as error:
        ci.files(content, "github", ["toy"], "none")
    assert text in error.value.message


def test_archive_has_what_grades_and_no_more(content: Catalog) -> None:
    """setup.sh and run_autograder at the root, to be run; no solution, sample or test; the same bytes each time."""
    data = ci.files(content, "gradescope", [], "bubblewrap")["autograder.zip"]

    assert data == ci.files(content, "gradescope", ["toy"], "bubblewrap")["autograder.zip"]
    zipped = zipfile.ZipFile(io.BytesIO(data))
    modes = {info.filename: info.external_attr >> 16 for info in zipped.infolist()}
    assert {name: mode for name, mode in modes.items() if "/" not in name} == {"run_autograder": 0o755, "setup.sh": 0o755}
    assert {"kit/solutions/toy/expected.py", "kit/fixtures/toy/hidden/secret.jsonl", "kit/requirements/dev.lock"} <= set(modes)
    assert not [name for name in modes if re.search(r"solution\.py|samples|accepted|rejected|tests/|__pycache__", name)]


def test_what_classroom50_publishes_has_nothing_hidden(content: Catalog) -> None:
    """Everyone can fetch the bundle: hidden checks and fixtures are not in it, and what is left is a whole assignment."""
    found = ci.files(content, "classroom50", ["toy"], "bubblewrap")
    ci.write(found, content.root / "out")

    assert not [path for path in found if "hidden/" in path]
    assert b"nobody looks" not in b"".join(data for path, data in found.items() if "/assignments/" in path)
    left = Catalog(content.root / "out/toy/kit").assignment("toy")
    assert [check.id for check in left.checks] == ["counts_runs", "counts_right", "words_right", "double_right"]


def test_every_shipped_manifest_can_be_cut() -> None:
    """The real assignments' visible checks are left, with their own tables."""
    catalog = Catalog(ROOT)
    for slug in catalog.slugs():
        visible = [check for check in catalog.assignment(slug).checks if not check.hidden]
        text = ci.visible_manifest(catalog.manifest(slug), catalog.manifest(slug).read_text(), visible)
        assert not re.search("(?m)^#", text)


def test_files_name_no_host_path_or_secret(content: Catalog) -> None:
    """What is generated names no address, no folder of this machine and nothing secret."""
    for system in ci.SYSTEMS:
        for path, data in ci.files(content, system, ["toy"], "bubblewrap").items():
            text = data.decode() if not path.endswith(".zip") and "/kit/" not in path else ""
            assert not re.search(r"://|/root|/home|/work|password|-----BEGIN", text), path


@pytest.mark.skipif(importlib.util.find_spec("check_jsonschema") is None, reason="check-jsonschema is not installed")
@pytest.mark.parametrize(("system", "schema"), [("github", "vendor.github-workflows"), ("gitlab", "vendor.gitlab-ci")])
def test_workflows_keep_their_systems_schema(content: Catalog, tmp_path: Path, system: str, schema: str) -> None:
    """The schemas that GitHub's and GitLab's editors use, as check-jsonschema ships them."""
    for path in ci.write(ci.files(content, system, ["toy"], "bubblewrap"), tmp_path):
        command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, "--data-transform", "gitlab-ci", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


class _Machine:
    """A folder to run scripts in, on a PATH whose `make` installs nothing: it links the kit's command to this environment.

    `apt-get` and `sudo` only write down how they were called.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.stubs = folder, folder / "stubs"
        command = f'#!/bin/sh\nPYTHONPATH="$kit" exec "{sys.executable}" -P -m autograder "$@"\n'
        self.stub("make", f'kit=$(cd "$2" && pwd)\nmkdir -p "$2/.venv/bin"\n(echo "#!/bin/sh"; echo "kit=$kit"; cat <<"END"\n{command}END\n) > "$2/.venv/bin/autograder"\nchmod +x "$2/.venv/bin/autograder"')  # fmt: skip
        self.stub("apt-get")
        self.stub("sudo")

    def stub(self, name: str, text: str = "") -> None:
        """Put a program on the PATH."""
        self.stubs.mkdir(parents=True, exist_ok=True)
        path = self.stubs / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >> "{self.stubs}/log"\n{text}\n')
        path.chmod(0o755)

    @property
    def log(self) -> str:
        return (self.stubs / "log").read_text()

    def run(self, *command: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run with the PATH's stubs first, this user's cache, and nothing else of the kit's settings."""
        kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "AUTOGRADER_ROOT"} | set(RUNNER)}
        path = f"{self.stubs}:{os.environ['PATH']}"
        environment = {"AUTOGRADER_CACHE": str(cache_folder().parent), **environment}
        return subprocess.run(
            command,
            cwd=cwd,
            env={**kept, "PATH": path, **environment},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )


@pytest.fixture
def machine(tmp_path: Path) -> _Machine:
    return _Machine(tmp_path / "machine")


SANDBOX = "none" if UNCONFINED else "bubblewrap"


class _Image:
    """Gradescope's image: the zip unpacked to source, run_autograder copied beside it."""

    def __init__(self, content: Catalog, machine: _Machine) -> None:
        self.machine, self.home = machine, machine.folder / "autograder"
        source = self.home / "source"
        source.mkdir(parents=True)
        ci.write(ci.files(content, "gradescope", ["toy"], SANDBOX), machine.folder)
        subprocess.run(["unzip", "-q", str(machine.folder / "autograder.zip"), "-d", str(source)], check=True)
        for name in ("submission", "results"):
            (self.home / name).mkdir()
        shutil.copy(source / "run_autograder", self.home)
        self.built = machine.run(str(source / "setup.sh"), cwd=self.home, AUTOGRADER_GRADESCOPE_HOME=str(self.home))

    def grade(self, name: str, text: str, **environment: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
        (self.home / "submission" / name).write_text(text)
        done = self.machine.run("./run_autograder", cwd=self.home, AUTOGRADER_GRADESCOPE_HOME=str(self.home), **environment)
        return done, json.loads((self.home / "results/results.json").read_text())


@pytest.fixture
def image(content: Catalog, machine: _Machine) -> _Image:
    return _Image(content, machine)


def test_gradescope_builds_and_grades(image: _Image) -> None:
    """setup.sh sets up and locks the source; run_autograder grades the one program, whatever it is called, and tells nothing hidden."""
    done, found = image.grade("my solution.py", RIGHT.replace("2 * number", "number"))

    assert image.built.returncode in (0, 1), image.built.stderr
    assert "make -C" in image.machine.log
    assert "apt-get install" in image.machine.log
    assert done.returncode == 0, done.stderr
    scores = _Gradescope.model_validate(found)
    assert (scores.score, sum(test["max_score"] for test in found["tests"])) == (8.0, 9)
    assert found["extra_data"]["reports"][0]["sandbox"] == SANDBOX
    assert SECRET not in json.dumps(found) + done.stdout
    assert (image.home / "source").stat().st_mode & 0o007 == 0
    assert (image.home / "source/kit/fixtures/toy/hidden/secret.jsonl").stat().st_mode & 0o007 == 0


@pytest.mark.skipif(bool(UNCONFINED), reason="the script says --sandbox none here")
def test_gradescope_never_grades_unconfined_by_itself(image: _Image) -> None:
    """Where the container allows no sandbox the run fails, says how to go on, and the result that stood before has no score."""
    image.machine.stub("bwrap", "echo 'bwrap: No permissions to create a new namespace' >&2\nexit 1")

    done, found = image.grade("toy.py", RIGHT)

    assert done.returncode == 2
    assert "Submissions cannot be confined here: bwrap: No permissions" in done.stderr
    assert "autograder ci gradescope toy --sandbox none" in done.stderr
    assert set(found) == {"output", "output_format", "stdout_visibility"}
    assert "grading did not finish" in found["output"]


def test_gradescope_gives_no_score_for_a_fault_of_the_grader(image: _Image, tmp_path: Path) -> None:
    """When the grader cannot start Spark, the run fails and there is no score."""
    broken = tmp_path / "java"
    (broken / "bin").mkdir(parents=True)
    (broken / "release").write_text('JAVA_VERSION="21.0.1"\n')
    (broken / "bin" / "java").write_text("#!/bin/sh\nexit 1\n")
    (broken / "bin" / "java").chmod(0o755)

    done, found = image.grade("toy.py", RIGHT, JAVA_HOME=str(broken), AUTOGRADER_CACHE=str(tmp_path / "cache"))

    assert done.returncode == 3, done.stderr
    assert "the grader failed, not your program" in found["output"]
    assert "score" not in found


def test_gradescope_carries_the_choice_of_no_sandbox(content: Catalog) -> None:
    """--sandbox none stands in the written script, and only when it was asked for."""
    for sandbox, there in (("none", True), ("bubblewrap", False)):
        data = ci.files(content, "gradescope", ["toy"], sandbox)["autograder.zip"]
        script = zipfile.ZipFile(io.BytesIO(data)).read("run_autograder").decode()
        assert ("--quiet --sandbox none" in script) is there


def _blocks(text: str, start: str) -> list[str]:
    """The block scalars of a YAML text that follow lines like ``start: |``, or what stands on the line."""
    found = []
    for match in re.finditer(rf"(?m)^( *){start}(\|?)(.*)\n((?:(?:\1 +.*)?\n)*)", text):
        lines = match[4].splitlines() if match[2] else [match[3].strip()]
        indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        found.append("\n".join(line[indent:] for line in lines))
    return found


def _submission(folder: Path, text: str) -> None:
    """A student's repository, which also has a folder that the kit's own would be taken for."""
    (folder / "assignments").mkdir(parents=True)
    (folder / "toy.py").write_text(text)


def test_github_workflow(content: Catalog, machine: _Machine) -> None:
    """The steps, run as GitHub does, leave the summary, the result for the reporter, and the reports; a mark fails no step."""
    place = machine.folder
    workflow = ci.files(content, "github", ["toy"], SANDBOX)[".github/workflows/autograder.yml"].decode()
    ci.write(ci.kit(content, ["toy"], hidden=True), place)
    _submission(place / "submission", RIGHT.replace("2 * number", "number"))
    steps = _blocks(workflow, "run: ")
    environment = {
        "GITHUB_STEP_SUMMARY": str(place / "summary"), "GITHUB_OUTPUT": str(place / "output"),
        "REPOSITORY": "class/alice", "AUTOGRADER_ROOT": str(place / "kit"),
    }  # fmt: skip

    for step in steps:
        assert "${{" not in step, "an expression in a script could be a stranger's text"
        done = machine.run("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step, cwd=place, **environment)
        assert done.returncode == 0, done.stderr
    assert len(steps) == (3 if SANDBOX == "none" else 4)
    assert SANDBOX == "none" or "sudo sysctl" in machine.log
    assert (place / "summary").read_text().startswith("### A toy (toy.py): 8 of 9 points")
    outputs = (place / "output").read_text()
    result = json.loads(base64.b64decode(outputs.removeprefix("result=")))
    _Classroom.model_validate(result)
    assert _announced([result]) == (8, 9)
    assert "TOY_RESULTS: ${{ steps.toy.outputs.result }}" in workflow
    assert (place / "graded/alice/toy/toy/report.json").is_file()
    assert not (place / "graded/alice/toy/toy/instructor.json").exists()
    assert SECRET not in outputs + (place / "summary").read_text()


def test_gitlab_pipeline(content: Catalog, machine: _Machine) -> None:
    """The job, run in a student's project, fetches the kit by git and leaves JUnit reports where its artifacts are looked for."""
    place, store = machine.folder / "project", machine.folder / "kit.git"
    pipeline = ci.files(content, "gitlab", ["toy"], SANDBOX)[".gitlab-ci.yml"].decode()
    _submission(place, "def double(number):\n    return 2 * number\n")
    _saved(place, DECIDED, "graded", "alice", "toy", "forged", "report.json")
    ci.write(ci.kit(content, ["toy"], hidden=True), machine.folder / "made")
    shutil.move(machine.folder / "made/kit", store)
    identity = ["-c", "user.name=t", "-c", "user.email=t"]
    for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "kit"]):
        subprocess.run(["git", *command], cwd=store, check=True)
    script = "\n".join(block for block in _blocks(pipeline, "- ") if "\n" in block)

    done = machine.run(
        "bash", "-e", "-c", script, cwd=place, CI_PROJECT_DIR=str(place), CI_PROJECT_PATH="class/alice", AUTOGRADER_KIT=str(store)
    )

    assert done.returncode == 0, done.stderr
    glob = re.search(r"junit: (\S+)", pipeline)
    assert glob is not None
    (found,) = place.glob(glob[1])
    suite = ElementTree.parse(found).getroot()[0]
    assert suite.find("properties/property[@name='points']").get("value") == "1"  # type: ignore[union-attr]
    assert [path.name for path in (place / "graded").rglob("*.json")].count("instructor.json") == 0
    assert export("csv", [place / "graded"], {}).text.splitlines()[1].startswith("toy,,,alice,")  # type: ignore[union-attr]


def test_classroom50_autograder(content: Catalog, machine: _Machine) -> None:
    """Run in the checkout with the runner's variables it leaves result.json and release-body.md, whatever a student committed."""
    bundle, checkout = machine.folder / "bundle", machine.folder / "checkout"
    ci.write(ci.files(content, "classroom50", ["toy"], SANDBOX), bundle)
    _submission(checkout, RIGHT)
    (checkout / "result.json").write_text('{"score": 1000}')

    done = machine.run(sys.executable, str(bundle / "toy/autograder.py"), cwd=checkout, GITHUB_ACTIONS="true", **RUNNER)

    assert done.returncode == 0, done.stderr
    found = json.loads((checkout / "result.json").read_text())
    jsonschema.validate(found, CLASSROOM50)
    assert (found["score"], found["max-score"], found["owner"]) == (6, 6, "alice")
    assert (checkout / "release-body.md").read_text().startswith("### A toy (toy.py): 6 of 6 points")
    json.loads((bundle / "toy/runtime.json").read_text())


def test_classroom50_leaves_no_result_when_the_grader_fails(content: Catalog, machine: _Machine) -> None:
    """A non-zero exit and no result.json is what its runner takes for an infrastructure error."""
    bundle, checkout = machine.folder / "bundle", machine.folder / "checkout"
    ci.write(ci.files(content, "classroom50", ["toy"], "bubblewrap"), bundle)
    _submission(checkout, RIGHT)
    (checkout / "result.json").write_text('{"score": 1000}')
    machine.stub("bwrap", "exit 1")

    done = machine.run(sys.executable, str(bundle / "toy/autograder.py"), cwd=checkout, **RUNNER)

    assert done.returncode == 2
    assert "::error::The grader failed" in done.stderr
    assert not (checkout / "result.json").exists()


def test_this_machine_is_asked_once_whether_it_confines() -> None:
    """What the scripts are written with here is what `grade` can do here."""
    assert (SANDBOX == "none") is bool(bubblewrap.trouble())
