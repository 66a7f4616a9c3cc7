"""A session of a replay's own in Spark's JVM, which other replays use too."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass, field
from typing import Any

from autograder.machine.gateway import connect


@dataclass
class Joined:
    """A Python process's own session in a JVM that others use too."""

    context: Any
    spark: Any
    _main: Any = field(repr=False)
    _server: Any = field(repr=False)

    def leave(self) -> None:
        """Give the JVM back what this process had in it."""
        with contextlib.suppress(Exception):
            self._server.shutdown()


def join(port: int, secret: str) -> Joined:
    """Join a JVM with a gateway of one's own (callbacks go to one process a gateway) and a session of one's own."""
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    # Else Spark's Python workers would run whatever python3 the PATH has, if any.
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    main = connect(port, secret)
    server = main.jvm.org.apache.spark.api.python.Py4JServer(main.jvm.org.apache.spark.SparkConf())
    server.start()
    gateway = connect(server.getListeningPort(), server.secret())
    jvm = gateway.jvm
    java_context = jvm.JavaSparkContext(jvm.org.apache.spark.SparkContext.getOrCreate(jvm.SparkConf()))
    context = SparkContext(gateway=gateway, jsc=java_context, conf=SparkConf(_jconf=java_context.getConf()))
    root = jvm.org.apache.spark.sql.classic.SparkSession.builder().getOrCreate()
    spark = SparkSession(context, jsparkSession=root.newSession())
    jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(spark._jsparkSession)
    return Joined(context, spark, main, server)
