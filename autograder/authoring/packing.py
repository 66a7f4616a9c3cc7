"""Put a release where it is wanted: into a folder, a zip, a git repository with one commit."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from autograder.authoring.release import MARKER, release_files
from autograder.authoring.wheel import MADE
from autograder.content.catalog import Catalog
from autograder.model import KitError, Variant

_AUTHOR = "autograder release"
_ADDRESS = "release@autograder.invalid"


def release(  # noqa: PLR0913  # what is released, and in which forms
    catalog: Catalog, slugs: Sequence[str], out: Path, drawn: Mapping[str, Variant], *, zipped: bool, repository: bool
) -> list[str]:
    """Write a release, with a student's variants where there are any; what was made, a line each.

    Raises KitError for an unknown slug, a folder that is not ours or cannot be written, and where git is missing.
    """
    before = _before(out)
    git = _git(out) if repository else ""
    archive = out.absolute().with_name(f"{out.absolute().name}.zip")
    if zipped:
        _refuse_foreign(archive)
    files = release_files(catalog, slugs, drawn)
    try:
        _write(files, out, before)
        made = [f"{out}: {len(files)} files"]
        if zipped:
            archive.write_bytes(zip_bytes(files, out.absolute().name))
            made.append(f"{archive}: the same, zipped")
    except OSError as error:
        raise KitError(f"{out} cannot be written: {error}", "Name a folder that you may write to.") from error
    if repository:
        made.append(f"{out} is a git repository, commit {commit(git, files, out)[:12]}")
    return made


def _refuse_foreign(archive: Path) -> None:
    """Raises KitError for a zip that no release made."""
    if not archive.exists():
        return
    with contextlib.suppress(OSError, zipfile.BadZipFile), zipfile.ZipFile(archive) as file:
        if any(PurePosixPath(name).name == MARKER for name in file.namelist()):
            return
    raise KitError(f"{archive} is there, and no release made it.", "Name another folder with --out, or move it away.")


def _before(out: Path) -> list[str]:
    """The files that an earlier release wrote. Raises KitError when something else stands there."""
    if not out.is_dir() or not any(out.iterdir()):
        return []
    try:
        found = json.loads((out / MARKER).read_bytes())["files"]
        if all(".." not in (path := PurePosixPath(name)).parts and not path.is_absolute() for name in found):
            return list(found)
    except (OSError, ValueError, TypeError, KeyError):
        pass
    raise KitError(f"{out} is not empty, and no release made it.", "Name a new folder, or empty this one yourself.")


def _write(files: Mapping[str, bytes], out: Path, before: Sequence[str]) -> None:
    """The marker first: what an interrupted release leaves can be written over."""
    out.mkdir(parents=True, exist_ok=True)
    for name in [MARKER, *files]:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(files[name])
    for name in set(before) - set(files):
        (out / name).unlink(missing_ok=True)
        for folder in (out / name).parents:
            if folder == out or not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()


def mode(content: bytes) -> int:
    """A file's permissions: a script can be run."""
    return 0o755 if content.startswith(b"#!") else 0o644


def zip_bytes(files: Mapping[str, bytes], top: str = "") -> bytes:
    """The files, below one folder when it is named, as a zip that is the same for the same files: compressors differ, so none is used."""
    packed = io.BytesIO()
    date = datetime.fromtimestamp(MADE, UTC).timetuple()[:6]
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{top}/{name}" if top else name, date)
            entry.create_system, entry.external_attr = 3, mode(content) << 16  # Unix, whose permissions follow
            archive.writestr(entry, content)
    return packed.getvalue()


def _git(out: Path) -> str:
    found = shutil.which("git")
    if found is None:
        raise KitError("git was not found on the PATH.", "Install it, or leave --git out.")
    if (out / ".git").exists():
        raise KitError(f"{out} already is a git repository.", "Leave --git out and commit the change yourself, or remove its .git.")
    return found


def commit(git: str, files: Mapping[str, bytes], out: Path) -> str:
    """Make a repository with one commit of these files; its id, which is the same for the same files.

    Raises KitError when git fails.
    """
    date = f"{MADE} +0000"
    person = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _person(date).items()}
    ours = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C", **person}
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | ours
    for arguments in (
        ["-c", "init.defaultBranch=main", "init", "--quiet", "--template="],
        ["add", "--force", "--", *sorted(files)],
        ["commit", "--quiet", "--message", "Assignments as released"],
        ["rev-parse", "HEAD"],
    ):
        done = subprocess.run([git, *arguments], cwd=out, env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise KitError(f"git {arguments[0]} failed: {done.stderr.strip()}", f"The files are in {out}; leave --git out.")
    return done.stdout.strip()


def _person(date: str) -> dict[str, str]:
    return {"NAME": _AUTHOR, "EMAIL": _ADDRESS, "DATE": date}
