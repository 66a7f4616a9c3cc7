"""The files with which other systems grade: what is in them, and each script run as its system would run it."""

from __future__ import annotations

import base64
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from click.testing import CliRunner

from autograder.cli.main import main
from autograder.content.catalog import Catalog
from autograder.integrations import ci
from autograder.integrations.export import export
from autograder.machine.paths import cache_folder
from autograder.model import KitError
from tests.conftest import HERE, UNCONFINED
from tests.consumers import CLASSROOM50, DECIDED, RUNNER, SECRET, Classroom, Gradescope, announced, saved
from tests.test_cli import RIGHT

pytestmark = [pytest.mark.spark, pytest.mark.sandbox]

ROOT = HERE.parent


@pytest.fixture
def content(kit: Path) -> Catalog:
    """The toy kit with the project's templates."""
    shutil.copytree(ROOT / "templates", kit / "templates")
    return Catalog(kit)


def test_ci_says_what_is_missing(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No such assignment: two lines and exit code 2. No such template: it is named, with what to do."""
    monkeypatch.setenv("AUTOGRADER_ROOT", str(kit))
    done = CliRunner().invoke(main, ["ci", "gitlab", "nothing", "--out", str(kit)])
    assert done.exit_code == 2
    assert "There is no assignment called 'nothing'." in done.stderr
    with pytest.raises(KitError, match=r"templates/ci/jenkins is missing: there is nothing to fill in"):
        ci.files(Catalog(kit), "jenkins", [], ci.How("none"))


def test_a_workflow_of_ones_own_is_kept(content: Catalog, tmp_path: Path) -> None:
    """What `ci` wrote is written over, what somebody else wrote is not, and then nothing is written."""
    files = ci.files(content, "gitlab", ["toy"], ci.How("none"))
    ci.write(files, tmp_path)
    ci.write(files, tmp_path)
    own = tmp_path / ".gitlab-ci.yml"
    own.write_text("pages: {}\n")

    with pytest.raises(KitError, match=r"\.gitlab-ci\.yml is there, and `autograder ci` did not write it\.\nMove it away"):
        ci.write(files, tmp_path)
    assert own.read_text() == "pages: {}\n"


@pytest.mark.parametrize(("broken", "text"), [("{% if %}", "autograder.yml.j2:2: "), ("{= nothing =}", "'nothing' is undefined")])
def test_a_template_that_jinja_refuses_is_named(content: Catalog, broken: str, text: str) -> None:
    """Instructors may change templates; the file and what is wrong are said."""
    path = content.root / "templates/ci/github/.github/workflows/autograder.yml.j2"
    path.write_text(f"# mine\n{broken}\n")

    with pytest.raises(KitError) as error:
        ci.files(content, "github", ["toy"], ci.How("none"))
    assert text in error.value.message


def test_archive_has_what_grades_and_no_more(content: Catalog) -> None:
    """setup.sh and run_autograder at the root, to be run; no solution, sample or test; the same bytes each time."""
    data = ci.files(content, "gradescope", [], ci.How("bubblewrap"))["autograder.zip"]

    assert data == ci.files(content, "gradescope", ["toy"], ci.How("bubblewrap"))["autograder.zip"]
    zipped = zipfile.ZipFile(io.BytesIO(data))
    modes = {info.filename: info.external_attr >> 16 for info in zipped.infolist()}
    assert {name: mode for name, mode in modes.items() if "/" not in name} == {"run_autograder": 0o755, "setup.sh": 0o755}
    assert {"kit/solutions/toy/expected.py", "kit/fixtures/toy/hidden/secret.jsonl", "kit/requirements/dev.lock"} <= set(modes)
    assert not [name for name in modes if re.search(r"solution\.py|samples|accepted|rejected|tests/|__pycache__", name)]


def test_what_classroom50_publishes_has_nothing_hidden(content: Catalog) -> None:
    """Everyone can fetch the bundle: hidden checks and fixtures are not in it, and what is left is a whole assignment."""
    found = ci.files(content, "classroom50", ["toy"], ci.How("bubblewrap"))
    ci.write(found, content.root / "out")

    assert not [path for path in found if "hidden/" in path]
    assert b"nobody looks" not in b"".join(data for path, data in found.items() if "/assignments/" in path)
    left = Catalog(content.root / "out/toy/kit").assignment("toy")
    assert [check.id for check in left.checks] == ["counts_runs", "counts_right", "words_right", "double_right"]


def test_variants_are_graded_there_too(content: Catalog) -> None:
    """With --variants every script draws the student's own: from a variable, or from the zip that only instructors have."""
    key = b"0123456789abcdef"
    github = ci.files(content, "github", ["toy"], ci.How(variants=True))[".github/workflows/autograder.yml"].decode()
    gitlab = ci.files(content, "gitlab", ["toy"], ci.How(variants=True))[".gitlab-ci.yml"].decode()
    zipped = zipfile.ZipFile(io.BytesIO(ci.files(content, "gradescope", ["toy"], ci.How(variants=True, secret=key))["autograder.zip"]))

    assert "AUTOGRADER_SECRET: ${{ secrets.AUTOGRADER_SECRET }}" in github
    assert all('--student "' in text and "--quiet --variants" in text for text in (github, gitlab))
    assert zipped.read("course.key") == key
    assert b'--quiet --variants --secret "$home/source/course.key"' in zipped.read("run_autograder")
    assert "variants" not in ci.files(content, "github", ["toy"], ci.How())[".github/workflows/autograder.yml"].decode()


@pytest.mark.parametrize(
    ("system", "says"), [("classroom50", "publishes what it grades with, so no secret"), ("gradescope", "There is no secret of the course")]
)
def test_variants_without_a_safe_secret_are_refused(content: Catalog, system: str, says: str) -> None:
    """No file that students can fetch carries the course's secret, and none is made without it."""
    with pytest.raises(KitError, match=says):
        ci.files(content, system, ["toy"], ci.How(variants=True))


def test_files_name_no_host_path_or_secret(content: Catalog) -> None:
    """What is generated names no address, no folder of this machine and nothing secret."""
    for system in ci.SYSTEMS:
        for path, data in ci.files(content, system, ["toy"], ci.How("bubblewrap")).items():
            text = data.decode() if not path.endswith(".zip") and "/kit/" not in path else ""
            assert not re.search(r"://|/root|/home|/work|password|-----BEGIN", text), path


@pytest.mark.skipif(importlib.util.find_spec("check_jsonschema") is None, reason="check-jsonschema is not installed")
@pytest.mark.parametrize(("system", "schema"), [("github", "vendor.github-workflows"), ("gitlab", "vendor.gitlab-ci")])
def test_workflows_keep_their_systems_schema(content: Catalog, tmp_path: Path, system: str, schema: str) -> None:
    """The schemas that GitHub's and GitLab's editors use, as check-jsonschema ships them."""
    for path in ci.write(ci.files(content, system, ["toy"], ci.How("bubblewrap")), tmp_path):
        command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, "--data-transform", "gitlab-ci", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def unzip(path: Path, folder: Path) -> None:
    """As the command does it, with permissions; it is not on every machine."""
    with zipfile.ZipFile(path) as zipped:
        for info in zipped.infolist():
            Path(zipped.extract(info, folder)).chmod(info.external_attr >> 16)


class _Machine:
    """A folder to run scripts in, on a PATH whose `make` installs nothing: it links the kit's command to this environment.

    `apt-get` and `sudo` only write down how they were called.
    """

    def __init__(self, folder: Path) -> None:
        missing = [name for name in ("bash", "find", "git", "mktemp") if not shutil.which(name)]
        if missing:
            pytest.skip(f"the systems' own machines have {', '.join(missing)}")
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
        ci.write(ci.files(content, "gradescope", ["toy"], ci.How(SANDBOX)), machine.folder)
        unzip(machine.folder / "autograder.zip", source)
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
    scores = Gradescope.model_validate(found)
    assert (scores.score, sum(test["max_score"] for test in found["tests"])) == (8.0, 9)
    assert found["extra_data"]["reports"][0]["sandbox"] == SANDBOX
    assert SECRET not in json.dumps(found) + done.stdout
    assert (image.home / "source").stat().st_mode & 0o007 == 0
    assert (image.home / "source/kit/fixtures/toy/hidden/secret.jsonl").stat().st_mode & 0o007 == 0


@pytest.mark.skipif(bool(UNCONFINED), reason="the script says --sandbox none here")
def test_gradescope_never_grades_unconfined_by_itself(image: _Image) -> None:
    """Where the container allows no sandbox the run fails, says how to go on, and the result that stood before has no score."""
    image.machine.stub("bwrap", "echo 'bwrap: No permissions to create a new namespace' >&2\nexit 1")

    done, found = image.grade("toy.py", RIGHT, AUTOGRADER_BWRAP=str(image.machine.stubs / "bwrap"))

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
        data = ci.files(content, "gradescope", ["toy"], ci.How(sandbox))["autograder.zip"]
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
    workflow = ci.files(content, "github", ["toy"], ci.How(SANDBOX))[".github/workflows/autograder.yml"].decode()
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
    assert (place / "summary").read_text().startswith("### A toy (alice): 8 of 9 points")
    outputs = (place / "output").read_text()
    result = json.loads(base64.b64decode(outputs.removeprefix("result=")))
    Classroom.model_validate(result)
    assert announced([result]) == (8, 9)
    assert "TOY_RESULTS: ${{ steps.toy.outputs.result }}" in workflow
    assert (place / "graded/toy/alice/report.json").is_file()
    assert not (place / "graded/toy/alice/instructor.json").exists()
    assert SECRET not in outputs + (place / "summary").read_text()


def test_gitlab_pipeline(content: Catalog, machine: _Machine) -> None:
    """The job, run in a student's project, fetches the kit by git and leaves JUnit reports where its artifacts are looked for."""
    place, store = machine.folder / "project", machine.folder / "kit.git"
    pipeline = ci.files(content, "gitlab", ["toy"], ci.How(SANDBOX))[".gitlab-ci.yml"].decode()
    _submission(place, "def double(number):\n    return 2 * number\n")
    saved(place, DECIDED, "graded", "alice", "toy", "forged", "report.json")
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
    ci.write(ci.files(content, "classroom50", ["toy"], ci.How(SANDBOX)), bundle)
    _submission(checkout, RIGHT)
    (checkout / "result.json").write_text('{"score": 1000}')

    done = machine.run(sys.executable, str(bundle / "toy/autograder.py"), cwd=checkout, GITHUB_ACTIONS="true", **RUNNER)

    assert done.returncode == 0, done.stderr
    found = json.loads((checkout / "result.json").read_text())
    jsonschema.validate(found, CLASSROOM50)
    assert (found["score"], found["max-score"], found["owner"]) == (6, 6, "alice")
    assert (checkout / "release-body.md").read_text().startswith("### A toy (alice): 6 of 6 points")
    json.loads((bundle / "toy/runtime.json").read_text())


def test_classroom50_leaves_no_result_when_the_grader_fails(content: Catalog, machine: _Machine) -> None:
    """A non-zero exit and no result.json is what its runner takes for an infrastructure error."""
    bundle, checkout = machine.folder / "bundle", machine.folder / "checkout"
    ci.write(ci.files(content, "classroom50", ["toy"], ci.How("bubblewrap")), bundle)
    _submission(checkout, RIGHT)
    (checkout / "result.json").write_text('{"score": 1000}')
    machine.stub("bwrap", "exit 1")

    bwrap = str(machine.stubs / "bwrap")
    done = machine.run(sys.executable, str(bundle / "toy/autograder.py"), cwd=checkout, AUTOGRADER_BWRAP=bwrap, **RUNNER)

    assert done.returncode == 2
    assert "::error::The grader failed" in done.stderr
    assert not (checkout / "result.json").exists()
