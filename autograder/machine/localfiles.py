"""A local file system that forks no ``chmod``: Hadoop's own forks one for every file, three in a micro-batch.

It is one method, compiled once per machine by the Java compiler that Spark carries (Janino), into a jar in the cache.
Without the jar Spark runs with Hadoop's own.
"""

from __future__ import annotations

import hashlib
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


def compile_with(gateway: Any, target: Path) -> None:
    """Write the jar to a file, compiled in a JVM that has Spark's jars."""
    compiler = gateway.jvm.org.codehaus.janino.SimpleCompiler()
    compiler.cook(_SOURCE)
    name = _CLASS.replace(".", "/") + ".class"
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), compiler.getBytecodes()[_CLASS])
