"""The fast local Spark: a JVM started directly, with its classes cached, which several replays join at once."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from autograder.machine import localfiles
from autograder.machine.java import Java
from autograder.machine.paths import short_hash

_OPENS = (
    "java.base/java.lang", "java.base/java.lang.invoke", "java.base/java.lang.reflect", "java.base/java.io",
    "java.base/java.net", "java.base/java.nio", "java.base/java.util", "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic", "java.base/jdk.internal.ref", "java.base/sun.nio.ch",
    "java.base/sun.nio.cs", "java.base/sun.util.calendar",
    "java.security.jgss/sun.security.krb5",
)  # fmt: skip

#: What Java itself has to say of its class cache is no output of a program.
_QUIET = ("-Xlog:disable", "-Xlog:all=error:stderr")
#: Settings for speed and for one answer on every machine. One shuffle partition also keeps arrival order.
SETTINGS = {
    "spark.master": "local[2]",
    "spark.app.name": "autograder",
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.default.parallelism": "1",
    "spark.python.worker.reuse": "true",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalogImplementation": "in-memory",
    # Plans here see a handful of rows: interpreting them is faster than compiling them.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.streaming.pollingDelay": "1ms",
    "spark.sql.streaming.numRecentProgressUpdates": "1000",
    "spark.sql.streaming.stateStore.maintenanceInterval": "1h",
    # No check sums beside every file. The ``localfiles`` jar, where there is one, also saves a fork a file.
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
    "spark.sql.streaming.checkpoint.fileChecksum.enabled": "false",  # checkpoints live in memory, for seconds
    # DStreams: the replay owns the clock.
    "spark.streaming.clock": "org.apache.spark.util.ManualClock",
}


class EngineLostError(Exception):
    """The JVM ended or could not be started."""


@dataclass
class Jvm:
    """A running Spark JVM. It ends when its standard input closes, so it cannot outlive whoever started it."""

    process: subprocess.Popen[bytes]
    port: int
    secret: str
    scratch: Path

    def alive(self) -> bool:
        """Whether the JVM still runs."""
        return self.process.poll() is None

    def stop(self) -> None:
        """End the JVM at once; its files are in the scratch folder."""
        self.process.kill()
        self.process.wait()
        if self.process.stdin:
            self.process.stdin.close()


def start_jvm(  # noqa: PLR0913  # how a JVM can differ
    java: Java, scratch: Path, flags: tuple[str, ...] = (), settings: dict[str, str] | None = None, more: str = "", *, own: bool = False
) -> Jvm:
    """Start Spark's gateway in a JVM, with ``more`` on its class path, and wait until it listens.

    With ``own`` it belongs to a program that a person runs: it stands in the same folder, and what it prints is shown, not logged.
    Raises EngineLostError when it does not start.
    """
    import pyspark

    info = scratch / f"gateway-{os.urandom(4).hex()}"
    log = _log(scratch)
    spark_home = str(Path(pyspark.__file__).parent)
    env = dict(os.environ, _PYSPARK_DRIVER_CONN_INFO_PATH=str(info), SPARK_HOME=spark_home, SPARK_LOCAL_IP="127.0.0.1")
    env |= {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable, "TZ": "UTC", "PYTHONHASHSEED": "0"}
    env.pop("JAVA_TOOL_OPTIONS", None)
    command = [
        str(java.executable),
        *flags,
        *(_QUIET if own else ()),
        *_jvm_options(scratch, settings or SETTINGS),
        "-cp",
        os.pathsep.join(filter(None, [class_path(), more])),
        _GATEWAY,
    ]
    with log.open("ab") as out:
        prints, place = (None, None) if own else (out, scratch)
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=prints, stderr=prints, env=env, cwd=place, start_new_session=True)
    try:
        _wait_for(info, process)
    except BaseException:  # also Ctrl-C and a time limit: the JVM has a session of its own and would stay
        Jvm(process, 0, "", scratch).stop()
        raise
    found = info.read_bytes()
    port, length = struct.unpack(">ii", found[:8])
    return Jvm(process, port, found[8 : 8 + length].decode(), scratch)


def _wait_for(info: Path, process: subprocess.Popen[bytes]) -> None:
    while not info.exists():
        # The gateway writes its port to a file and offers nothing else to wait on, but the process's end.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.005)
            raise EngineLostError(last_lines(info.parent))


_GATEWAY = "org.apache.spark.api.python.PythonGatewayServer"


def class_path() -> str:
    """Spark's jars, spelled out in order: a class cache holds for this very list only."""
    import pyspark

    jars = sorted(Path(pyspark.__file__).parent.glob("jars/*.jar"))
    return os.pathsep.join(map(str, [*jars, localfiles.jar()] if localfiles.settings() else jars))


def _jvm_options(scratch: Path, settings: dict[str, str]) -> list[str]:
    places = {"spark.local.dir": scratch / "local", "spark.sql.warehouse.dir": scratch / "warehouse", "java.io.tmpdir": scratch}
    return [
        # A batch makes some 50 MB of garbage: a large young generation halves the pauses.
        "-Xms224m", "-Xmn160m", "-Xmx600m", "-Xss2m", "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-XX:CICompilerCount=1",
        "-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED", "-Duser.timezone=UTC", "-Dfile.encoding=UTF-8",
        "-Djdk.reflect.useDirectMethodHandle=false", "-Dio.netty.tryReflectionSetAccessible=true",
        *[f"--add-opens={package}=ALL-UNNAMED" for package in _OPENS],
        *[f"-D{key}={value}" for key, value in (settings | localfiles.settings() | {k: str(v) for k, v in places.items()}).items()],
    ]  # fmt: skip


def last_lines(scratch: Path) -> str:
    """What the JVM of this scratch folder said last, in one line."""
    return " | ".join(_log(scratch).read_text(errors="replace").splitlines()[-3:])


def _log(scratch: Path) -> Path:
    return scratch / "jvm.log"


def cache_key(java: Java) -> tuple[str, str]:
    """Names the class cache: the place of these jars and this Java, and their state with the options they run with.

    A JVM refuses a cache without a word when a jar's size or date has changed, as after an installation anew.
    """
    jars = class_path()
    place = [jars.split(os.pathsep)[0], str(java.executable)]
    image = java.executable.parent.parent / "lib" / "modules"
    stats = [path.stat() for path in [*map(Path, jars.split(os.pathsep)), image] if path.exists()]
    state = [java.version, *_jvm_options(Path(), SETTINGS), *(f"{stat.st_size} {int(stat.st_mtime)}" for stat in stats)]
    return short_hash(place), short_hash(state)
