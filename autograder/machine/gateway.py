"""PySpark's gateway to a Spark JVM that already runs."""

from __future__ import annotations

import os
from typing import Any

_NAMES = ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET")


def connect(port: int, secret: str) -> Any:
    """A gateway to the JVM that listens on this port. The environment, through which PySpark learns where, stays as it was."""
    from pyspark.java_gateway import launch_gateway

    before = {name: os.environ.get(name) for name in _NAMES}
    os.environ |= dict(zip(_NAMES, (str(port), secret), strict=True))
    try:
        return launch_gateway()  # type: ignore[no-untyped-call]  # PySpark's own
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
