"""``autograder.spark()``: Spark for a student's own program, with the kit's own Java, so that a machine needs Python alone."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.machine import classcache, gateway
from autograder.machine.errors import KitError
from autograder.machine.java import find_java
from autograder.machine.jvm import EngineLostError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Spark as it comes, but for a small machine: few partitions, times in UTC as in handouts and reports, and only errors are told.
_SETTINGS = {
    "spark.master": "local[4]",
    "spark.app.name": "autograder.spark()",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.session.timeZone": "UTC",
    "sun.misc.unsafe.memory.access": "allow",  # else Java warns of what Spark's jars do
}
#: For Log4j. Spark speaks of its level at the start unless the gateway's logger has the root's.
_LOG = """rootLogger.level = error
rootLogger.appenderRef.console.ref = console
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = error
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
"""


def spark() -> SparkSession:
    """The Spark session of this program, started when there is none.

    Spark ends with the program, or with ``stop()``, after which another call starts it again. What it prints goes where the program's
    own output goes. Raises KitError when there is no suitable Java, or Spark does not start.
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if SparkContext._gateway is None:  # a replay has one, and so has a program that has used Spark
        # Else Spark's Python workers would run whatever python3 the PATH has, if any.
        os.environ |= {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
        SparkContext._ensure_initialized(gateway=_started())
    return SparkSession.builder.getOrCreate()


def _started() -> Any:
    """The gateway to a JVM of this program's own, which ends with it."""
    scratch = Path(tempfile.mkdtemp(prefix="autograder-spark-"))
    atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    log = scratch / "log4j2.properties"
    log.write_text(_LOG, encoding="utf-8")
    try:
        jvm = classcache.start_jvm(find_java(), scratch, _SETTINGS | {"log4j2.configurationFile": str(log)}, own=True)
    except EngineLostError as error:
        raise KitError(
            "Spark did not start; what Java said stands above.", "What this machine offers: .venv/bin/autograder doctor"
        ) from error
    joined = gateway.connect(jvm.port, jvm.secret)
    atexit.register(joined.shutdown)  # what PySpark still wants to tell a JVM that is gone would be an error
    atexit.register(jvm.stop)  # before it: py4j would wait for ever for a thread that reads what this JVM has to say
    return joined
