"""What the verbs do: read, grade, write. The only place that writes reports."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from autograder import variants
from autograder.authoring import generated, notebooks, placing, proof, scaffold, streams
from autograder.authoring.cells import Plan
from autograder.authoring.handouts import handout
from autograder.authoring.nbgrader_course import course_files as nbgrader_files
from autograder.authoring.recording import Recorded
from autograder.broker import jars, standing
from autograder.broker import warmup as kafka_warmup
from autograder.broker.cluster import broker
from autograder.broker.engine import kafka_engine
from autograder.broker.live import run_live
from autograder.broker.observer import Observer
from autograder.catalog import Catalog, find_root, make_folder, parameters_for, read_text, write_text
from autograder.engine import Engine
from autograder.grading import Course, Grading, Progress, Submission, for_student
from autograder.handed_in import file_in, student_of
from autograder.model import Assignment, Check, KitError, Report, Variant
from autograder.model import Engine as EngineName
from autograder.oracle import Topic
from autograder.replay import classcache
from autograder.replay.java import Java, NoJavaError, find_java
from autograder.reports import json_report, junit, terminal
from autograder.sandbox import bubblewrap


def check(slug: str, file: Path, given: dict[str, str], progress: Progress) -> Report:
    """The visible checks of one file, or of what a folder has."""
    course = Course.load(Catalog(find_root()), slug)
    file = file_in(file, course.assignment) if file.is_dir() else file
    parameters_for(course.assignment, course.assignment.defaults(), given)  # a mistake in the command is told before one in the file
    if not file.exists():
        raise KitError(f"There is no file {file}.", "Give the path of your file, or run the command in its folder.")
    submission = Submission.read(file, functions=course.assignment.functions.keys())
    return checked(course, submission, file.parent, course.assignment.visible, given, progress)


def checked(  # noqa: PLR0913, PLR0917  # what is checked, and how
    course: Course, submission: Submission, folder: Path, checks: Sequence[Check], given: Mapping[str, str], progress: Progress
) -> Report:
    """Checks of a submission on this machine, with the variant that lies in a folder."""
    variant = variants.beside(folder, course.assignment)
    course = replace(course, seeds=variant.seeds)
    parameters = course.values(variant.parameters, given)
    prepare(progress, course.assignment)
    with kafka_engine(standing.running()) as kafka, Engine(kafka=kafka) as engine:
        report = Grading(course, submission, parameters, engine).report(checks, progress)
        return replace(for_student(report), sandbox="own machine")


def grade(  # noqa: PLR0913  # what is graded, how, and where the reports go
    slug: str,
    files: Sequence[Path],
    out: Path,
    given: dict[str, str],
    progress: Progress,
    *,
    confined: bool = True,
    secret: bytes | None = None,
) -> Iterator[tuple[Report, Path]]:
    """All checks of every file, each on a Spark of its own, written as soon as it is graded.

    With the course's secret every file is graded with its student's variant. Raises KitError when they are to be confined and
    this machine cannot do it, and for what was released to students.
    """
    course = whole(Course.load(Catalog(find_root()), slug))
    files = [file_in(file, course.assignment) if file.is_dir() else file for file in files]
    drawn = [variant_of(course, file, secret) for file in files]
    course.values(course.assignment.defaults(), given)  # refused before anything is graded
    prepare(progress, course.assignment)
    sandbox = bubblewrap.sandbox(java(), course.assignment.limits) if confined else None
    secrets = (course.catalog.solutions(slug), course.catalog.fixture_folder(slug), *files, out)
    for path in filter(sandbox.shows, secrets) if sandbox else ():
        raise KitError(f"{path} lies where submissions can read it, among the system's or Python's files.", "Move it elsewhere.")
    for file, name, variant in zip(files, names(files), drawn, strict=True):
        with Engine(sandbox=sandbox) as engine:
            own = replace(course, seeds=variant.seeds)
            submission = Submission.read(file, name, course.assignment.functions.keys())
            grading = Grading(own, submission, own.values(variant.parameters, given), engine)
            report = grading.report(course.assignment.checks, progress)
        folder = out / slug / Path(name).stem
        write(report, folder)
        write_text(folder / "timings.json", json.dumps(_timings(grading), indent=2) + "\n")
        yield report, folder


def whole(course: Course) -> Course:
    """The course. Raises KitError for what students got: marks without the hidden checks would be wrong."""
    if course.expectation.released is None:
        return course
    raise KitError(
        f"{course.assignment.slug} stands here as it was released, without hidden checks and solutions.",
        "Here `check` and `hint` work; grade in the kit that made the release.",
    )


def variant_of(course: Course, file: Path, secret: bytes | None) -> Variant:
    """The variant that a file is graded with: its student's where the course has a secret, else the defaults."""
    if secret is None:
        return Variant(course.assignment.defaults())
    return variants.draw(secret, course.assignment, student_of(file, course.assignment.slug))


def variant(slug: str, student: str, secret: bytes, out: Path | None) -> tuple[Variant, list[Path]]:
    """A student's variant, and what was written of it: handout, skeleton, notebook and the file that `check` reads."""
    catalog = Catalog(find_root())
    assignment = catalog.assignment(slug)
    found = variants.draw(secret, assignment, student)
    given = handout(catalog, assignment, found.parameters)
    texts = {
        "README.md": given.text,
        **given.figures,
        f"{slug}.py": read_text(catalog.skeleton(slug)),
        f"{slug}.ipynb": notebooks.student_notebook(catalog, assignment, given.text),
        variants.FILE: variants.to_toml(assignment, found),
    }
    if out is None:
        return found, []
    make_folder(out)
    if (out / f"{slug}.py").exists():
        raise KitError(f"{out / slug}.py is there already: it may be somebody's work.", "Name another folder with --out.")
    for name, text in texts.items():
        write_text(out / name, text)
    return found, [out / name for name in texts]


def names(files: Sequence[Path]) -> list[str]:
    """What reports call the files: their names, or as many folders more as tell them apart."""
    # A name may be any bytes, a report is UTF-8.
    resolved = [Path(os.fsencode(os.path.abspath(file)).decode("utf-8", "backslashreplace")) for file in files]
    if len(set(resolved)) < len(resolved):
        raise KitError("A file is named twice.", "Name every submission once.")
    for parts in range(1, max((len(path.parts) for path in resolved), default=1) + 1):
        found = ["_".join(path.parts[-parts:]).strip(os.sep) for path in resolved]
        if len({Path(name).stem for name in found}) == len(found):
            return found
    return [f"{index}_{path.name}" for index, path in enumerate(resolved, 1)]


def write(report: Report, folder: Path) -> None:
    """Write one report in all its forms. A file is replaced whole or not at all; raises KitError when one cannot be written."""
    student = for_student(report)
    make_folder(folder)
    write_text(folder / "instructor.json", json_report.to_json(report))
    write_text(folder / "report.json", json_report.to_json(student))
    write_text(folder / "report.txt", terminal.to_text(student))
    write_text(folder / "junit.xml", junit.to_junit(student))


def _timings(grading: Grading) -> dict[str, float]:
    """Seconds by replay: no part of the report, which is the same on every machine."""
    found = {f"{key[0]} on {key[1]}": seen for key, seen in grading.seen.items()}
    return {name: getattr(seen, "seconds", 0.0) for name, seen in sorted(found.items())}


def hint(slug: str, check_id: str | None, number: int) -> str:
    """The first hints of a check, or the list of checks."""
    assignment = Catalog(find_root()).assignment(slug)
    if check_id is None:
        return "\n".join(f"{check.id:28} {check.says}" for check in assignment.checks)
    for check in assignment.checks:
        if check.id == check_id:
            shown = check.hints[: max(1, number)]
            left = len(check.hints) - len(shown)
            more = [f"({left} more: autograder hint {slug} {check_id} -n {len(shown) + 1})"] if left else []
            return "\n".join([*(f"{index}. {text}" for index, text in enumerate(shown, 1)), *more])
    raise KitError(f"{slug} has no check {check_id!r}.", f"It has: {', '.join(check.id for check in assignment.checks)}.")


def demo(slugs: Sequence[str], out: Path, progress: Progress) -> Iterator[tuple[Report, Path]]:
    """Grade the samples of the assignments: confined where that is possible, for they are the kit's own."""
    catalog = Catalog(find_root())
    why = bubblewrap.trouble()
    if why:
        progress(f"The samples are not confined: {why}. `autograder doctor` says more.", 0, 0)
    for slug in slugs or catalog.slugs():
        if skipped(catalog.assignment(slug), progress):
            continue
        files = [catalog.solutions(slug) / "samples" / f"{name}.py" for name in proof.SAMPLES]
        yield from grade(slug, files, out, {}, progress, confined=not why)


#: Assignments proved at once: replays on brokers and DStreams leave half of two cores idle.
_PROOFS_AT_ONCE = 2


def verify(slugs: Sequence[str], say: Callable[[str], None], progress: Progress) -> list[str]:
    """Prove the assignments; what is wrong, a line each."""
    catalog = Catalog(find_root())
    courses = [whole(Course.load(catalog, slug)) for slug in slugs or catalog.slugs() if not skipped(catalog.assignment(slug), progress)]
    problems: list[str] = []
    with ThreadPoolExecutor(_PROOFS_AT_ONCE) as pool:
        for found in pool.map(lambda course: _proved(course, progress), courses):
            say(proof.to_text(found))
            problems += found.problems
    say(f"{len(problems)} problems" if problems else "Everything holds.")
    return problems


def _proved(course: Course, progress: Progress) -> proof.Proof:
    with kafka_engine() as kafka, Engine(kafka=kafka) as one, Engine(kafka=kafka) as other:
        return proof.prove(course, (one, other), progress)


def build(slugs: Sequence[str], write: bool) -> list[Path]:
    """The generated files that were stale; written when asked to."""
    catalog = Catalog(find_root())
    changed: list[Path] = []
    for slug in slugs or catalog.slugs():
        files = generated.generated(catalog, slug)
        found = generated.differing(files)
        changed += found
        for path in found if write else []:
            write_text(path, files[path])
    return changed


def new(slug: str, engine: EngineName, title: str | None) -> list[Path]:
    """Write a new assignment from templates; its files."""
    return scaffold.new(Catalog(find_root()), slug, engine, title)


def record(reading: streams.Reading, plan: Plan, target: placing.Target) -> tuple[Recorded, Path | None]:
    """Turn a live stream into a fixture, written whole or not at all; with where it is, or None when it is to be printed.

    Raises KitError for what cannot be read or does not fit.
    """
    where = placing.place(target, find_root)
    plan = placing.planned(where, replace(plan, says=plan.says or f"{reading.rows} rows recorded from {reading.origin.name}"))
    form = reading.form_for(placing.single(plan) or plan.drive == "kafka")
    found = placing.recorded(streams.take(reading, form), replace(plan, schema=plan.schema or _SCHEMAS.get(form)), where)
    if where.path:
        make_folder(where.path.parent)
        write_text(where.path, found.text)
    return found, where.path


#: The schema of streams that do not say theirs.
_SCHEMAS: dict[str, str] = {"lines": "STRING"}


def nbgrader_course(folder: Path, slugs: Sequence[str]) -> list[Path]:
    """Write a course for nbgrader; the files that were written, without those that are there already.

    Raises KitError when a file cannot be made or written.
    """
    catalog = Catalog(find_root())
    files = nbgrader_files(catalog, folder.resolve().name, slugs or catalog.slugs())
    written = []
    for name, text in files.items():
        make_folder((folder / name).parent)
        if not (folder / name).exists():
            write_text(folder / name, text)
            written.append(folder / name)
    return written


def warm(progress: Progress) -> str:
    """Make the class cache if there is none, and have Kafka ready where an assignment needs it."""
    made = prepare(progress)
    catalog = Catalog(find_root())
    for assignment in map(catalog.assignment, catalog.slugs()):
        if needs_kafka(assignment):
            skipped(assignment, progress)
    return f"Spark's class cache is at {made}." if made else "The class cache could not be made; Spark starts without it, slower."


def prepare(progress: Progress, assignment: Assignment | None = None) -> Path | None:
    """Java is there, the class cache is made, and Kafka is there for an assignment that needs it.

    Raises KitError without a suitable Java, or when Kafka cannot be fetched.
    """
    found = java()
    if assignment and needs_kafka(assignment):
        jars.ensure(found, progress)
        kafka_warmup.ensure(found, progress)
    if classcache.flags(found):
        return classcache.path(found)
    progress("Preparing Spark's class cache (once on this machine, about half a minute) …", 0, 0)
    return classcache.path(found) if classcache.make(found) else None


def needs_kafka(assignment: Assignment) -> bool:
    """Whether a function of an assignment runs on brokers."""
    return any(function.engine == "kafka" for function in assignment.functions.values())


def skipped(assignment: Assignment, progress: Progress) -> bool:
    """Whether an assignment must be left out because Kafka cannot be fetched; says so. The rest goes on."""
    try:
        prepare(progress, assignment)
    except KitError as error:
        if not needs_kafka(assignment):
            raise
        progress(f"SKIPPED {assignment.slug}: {error.message} {error.hint}", 0, 0)
        return True
    return False


def lives(slugs: Sequence[str], progress: Progress) -> Iterator[str]:
    """What ``live`` says, where an assignment has something for it and there is a network; else why it was skipped."""
    catalog = Catalog(find_root())
    for slug in slugs or catalog.slugs():
        if needs_kafka(catalog.assignment(slug)):
            try:
                yield from live(catalog, slug, progress)
            except KitError as error:
                progress(f"SKIPPED Spark's Kafka source: {error.message} {error.hint}", 0, 0)
            except Exception as error:  # noqa: BLE001  # outside the marks: nothing here may take the grading's summary away
                progress(f"SKIPPED Spark's Kafka source: {' '.join(str(error).split()) or type(error).__name__}", 0, 0)


def live(catalog: Catalog, slug: str, progress: Progress) -> Iterator[str]:
    """The right sample's ``averages`` on Spark's own Kafka source and a live topic, a line for each micro-batch; not graded."""
    found = java()
    jars.ensure(found, progress)
    jars.ensure(found, progress, jars.CONNECTOR)
    with broker() as cluster, Observer(cluster.bootstrap) as observer:
        observer.make_topic("avg", Topic(2, 1, {}))
        observer.send("avg", [{"key": key, "value": value, "partition": None, "at": 0, "headers": {}} for key, value in _LIVE])
        yield f"{slug}: averages on Spark's kafka source, topic avg: {', '.join(f'{key}={value}' for key, value in _LIVE)}"
        yield from run_live(catalog.solutions(slug) / "samples" / "right.py", "averages", cluster.bootstrap, "avg")


_LIVE = [("Oslo", "1"), ("Åre", "-8"), ("Oslo", "3"), ("Åre", "cold"), ("Oslo", "5"), ("Åre", "-4"), ("Visby", "7.5"), ("Oslo", "0")]


def java() -> Java:
    """The Java to use. Raises KitError without a suitable one."""
    try:
        return find_java()
    except NoJavaError as error:
        what, hint_text = str(error).split("\n", 1)
        raise KitError(what, hint_text) from error
