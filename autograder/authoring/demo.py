"""What ``autograder demo`` does: grade the samples, and run a function on Spark's real Kafka source where content says so."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from autograder.authoring import proof
from autograder.broker import jars
from autograder.broker.cluster import broker
from autograder.broker.connector_demo import run_live
from autograder.broker.observer import Observer
from autograder.content.catalog import Catalog
from autograder.content.files import read_text
from autograder.content.manifest import first_refusal
from autograder.grading.batch import grade_all
from autograder.grading.session import AT_ONCE, Session, gradable
from autograder.machine.java import find_java
from autograder.machine.progress import Progress
from autograder.model import KitError, Report, TopicRecord
from autograder.oracle import Topic
from autograder.reports.folder import write
from autograder.sandbox import bubblewrap
from autograder.submission.locate import HandedIn


def grade_samples(catalog: Catalog, slugs: Sequence[str], out: Path, progress: Progress) -> Iterator[tuple[Report, Path]]:
    """Grade the samples of the assignments: confined where that is possible, for they are the kit's own.

    The reports come in the order of the assignments, with the folders that they are written to.
    """
    why = bubblewrap.obstacle()
    if why:
        progress(f"The samples are not confined: {why}. `autograder doctor` says more.", 0, 0)
    sessions = [Session(answer_key, progress=progress) for answer_key in gradable(catalog, slugs, progress)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for found in pool.map(lambda session: _graded(session, out, confined=not why), sessions):
            yield from found


def _graded(session: Session, out: Path, *, confined: bool) -> list[tuple[Report, Path]]:
    """The samples of one assignment, which share its processes."""
    catalog, slug = session.answer_key.catalog, session.answer_key.assignment.slug
    files = [HandedIn(name, catalog.solutions(slug) / "samples" / f"{name}.py") for name in proof.SAMPLES]
    reports = []
    for graded in grade_all(session, files, confined=confined, others=[out], together=True):
        folder = out / slug / graded.report.student
        write(graded.report, folder, graded.seconds)
        reports.append((graded.report, folder))
    return reports


def showpiece(reports: Sequence[Report]) -> Report | None:
    """The report that shows most of what reports can say: the last one of a half right sample."""
    return next((report for report in reversed(reports) if report.student == "half_right"), None)


class _Demo(BaseModel):
    """``solutions/<slug>/demo.toml``: a function of the right sample, a topic, and the (key, value) records in it."""

    model_config = ConfigDict(extra="forbid", strict=True)
    function: str
    topic: str
    records: list[list[str]]


def on_spark_source(catalog: Catalog, slugs: Sequence[str], progress: Progress) -> Iterator[str]:
    """What comes of the assignments' demos on Spark's real Kafka source; why one was skipped is told, and nothing else is lost."""
    for slug in slugs or catalog.slugs():
        if not catalog.demo(slug).is_file():
            continue
        try:
            yield from _on_spark_source(catalog, slug, progress)
        except KitError as error:
            progress(f"SKIPPED Spark's Kafka source: {error.message} {error.hint}", 0, 0)
        except Exception as error:  # noqa: BLE001  # outside the marks: nothing here may take the grading's summary away
            progress(f"SKIPPED Spark's Kafka source: {' '.join(str(error).split()) or type(error).__name__}", 0, 0)


def _on_spark_source(catalog: Catalog, slug: str, progress: Progress) -> Iterator[str]:
    demo = _read(catalog.demo(slug))
    java = find_java()
    jars.ensure(java, progress)
    jars.ensure(java, progress, jars.CONNECTOR)
    with broker() as cluster, Observer(cluster.bootstrap) as observer:
        observer.make_topic(demo.topic, Topic(2, 1, {}))
        observer.send(demo.topic, [TopicRecord(key=key, value=value) for key, value in demo.records])
        sent = ", ".join(f"{key}={value}" for key, value in demo.records)
        yield f"{slug}: {demo.function} on Spark's kafka source, topic {demo.topic}: {sent}"
        yield from run_live(catalog.solutions(slug) / "samples" / "right.py", demo.function, cluster.bootstrap, demo.topic)


def _read(path: Path) -> _Demo:
    try:
        return _Demo.model_validate(tomllib.loads(read_text(path)))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise KitError(f"{path}: not valid TOML: {error}", "Fix this file.") from error
    except ValidationError as error:
        raise KitError(f"{path}: {first_refusal(error)}", "It has a function, a topic and records.") from error
