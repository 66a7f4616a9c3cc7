"""What may come from the untrusted side, where Spark's and Kafka's replays agree on it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Strict(BaseModel):
    """Nothing that is not named, and no conversion."""

    model_config = ConfigDict(extra="forbid", strict=True)


class TroubleLine(Strict):
    """A ``model.Trouble``, its text bounded."""

    kind: str
    text: str = Field(max_length=4000)
    line: int | None = None
    error: str = Field(default="", max_length=200)
    step: int | None = None
