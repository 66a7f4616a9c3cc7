"""A local file system that forks no ``chmod``: Hadoop's own forks one for every file, three in a micro-batch.

It is one method, compiled once per machine by the Java compiler that Spark carries (Janino), into a jar in the cache.
Without the jar Spark runs with Hadoop's own.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from pathlib import Path
from typing import Any

from autograder.machine.paths import cache_folder

_CLASS = "autograder.LocalFiles"
_SOURCE = """
package autograder;
public class LocalFiles extends org.apache.hadoop.fs.RawLocalFileSystem {
    public void setPermission(org.apache.hadoop.fs.Path path, org.apache.hadoop.fs.permission.FsPermission permission) {}
}
"""


def jar() -> Path:
    """Where the jar is, once it is made."""
    return cache_folder() / f"localfiles-{hashlib.sha256(_SOURCE.encode()).hexdigest()[:12]}.jar"


def settings() -> dict[str, str]:
    """What tells Spark to use it; nothing while there is no jar."""
    return {"spark.hadoop.fs.file.impl": _CLASS} if jar().is_file() else {}


def compile_with(gateway: Any) -> None:
    """Make the jar in a JVM that has Spark's jars. Two at once do not disturb each other."""
    compiler = gateway.jvm.org.codehaus.janino.SimpleCompiler()
    compiler.cook(_SOURCE)
    name = _CLASS.replace(".", "/") + ".class"
    part = jar().with_name(f"{jar().name}.{os.getpid()}")
    with zipfile.ZipFile(part, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), compiler.getBytecodes()[_CLASS])
    part.replace(jar())
