"""Which output modes Spark allows, and why not: asked of Spark itself, for every query of the handout."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from autograder.content.catalog import Catalog
from autograder.engines.base import Observer
from autograder.model import Add, Drive, Fixture, Function, Observation, Request
from tests.conftest import HERE

#: The queries as the handout writes them.
QUERIES = {
    "filter": """views.where("user = 'ann'")""",
    "distinct": """views.dropDuplicates(["page"])""",
    "count": """views.groupBy("page").count()""",
    "windowed_count": """views.groupBy(F.window("at", "5 minutes"), "page").count()""",
    "windowed_count_with_watermark": """views.withWatermark("at", "5 minutes").groupBy(F.window("at", "5 minutes"), "page").count()""",
    "count_with_watermark_elsewhere": """views.withWatermark("at", "5 minutes").groupBy("page").count()""",
    "session_with_watermark": ("""views.withWatermark("at", "5 minutes").groupBy(F.session_window("at", "5 minutes"), "page").count()"""),
    "sorted_filter": """views.where("user = 'ann'").orderBy("page")""",
    "top_pages": """views.groupBy("page").count().orderBy("count").limit(3)""",
}
#: What Spark's message says of each reason.
WORDS = {
    "needs_watermark": "without watermark",
    "no_aggregation": "no streaming aggregations",
    "sorting": "Sorting",
    "session_window": "session window",
}
SCHEMA = (("at", "TIMESTAMP"), ("page", "STRING"), ("user", "STRING"))
FIXTURE = Fixture("one", "one view", Drive("step"), {"views": SCHEMA}, (Add({"views": ({"at": 0, "page": "a", "user": "ann"},)}),), False)


def _answers() -> dict[str, dict[str, tuple[str, ...]]]:
    """All true reasons of each query, as the assignment's oracle has them."""
    path = Catalog(HERE.parent).expectation("output_modes")
    spec = importlib.util.spec_from_file_location("expected_modes", path)
    assert spec
    assert spec.loader
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: module.oracle.reasons(module.Query(query, "append")) for name, query in module._QUERIES.items()}


@pytest.mark.soak
def test_spark_gives_the_first_reason(engine: Observer) -> None:
    """Where it refuses a query its message has the words of the first reason, and else it runs."""
    requests = {
        (name, mode): Request(
            f"from pyspark.sql import functions as F\n\n\ndef query(views):\n    return {text}\n",
            Function("query", "structured", ("views",), mode=mode),  # type: ignore[arg-type]  # one of three
            FIXTURE,
            {},
            60,
        )
        for name, text in QUERIES.items()
        for mode in ("append", "update", "complete")
    }
    found = {id(request): observation for request, observation in engine.observe(list(requests.values()))}
    answers = _answers()

    assert set(answers) == set(QUERIES)
    for (name, mode), request in requests.items():
        observation = found[id(request)]
        assert isinstance(observation, Observation)
        reasons = answers[name][mode]
        text = observation.failure.text if observation.failure else ""
        assert bool(text) == bool(reasons), (name, mode, text)
        assert not reasons or WORDS[reasons[0]] in text, (name, mode, text)
