"""The fingerprint of a compile: all inputs on which its result depends."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, Field, PositiveInt, model_validator

from worksmith.evals.tasks.task import SplitScheme


class ModelFacts(BaseModel):
    """The name and the content address of a model."""

    name: str
    digest: str


class Fingerprint(BaseModel):
    """Everything that the result of a compile depends on. It does not contain the number of workers.

    Attributes:
        purpose: `compile` or another use of the plan; each has its own journal.
        suite: the kind, the digest and, as `environment`, the digest of the world's clock and persona, the
            access rules in use and the search index.
        tasks: digest of tasks that were given one by one; empty if scheme, conditions and limits choose.
        teaching_program: digest of the program that made the demonstrations; empty for the program itself.
        start: digest of the compiled program that it began from; empty for one that was not compiled.
        bank: digest of the prebuilt bank.
        metric: see `Metric.about`.
    """

    purpose: str
    suite: dict[str, str]
    scheme: SplitScheme
    train_limit: PositiveInt | None
    dev_limit: PositiveInt | None
    where: list[str]
    tasks: str = ""
    teaching_program: str = ""
    program: dict[str, Any]
    program_code: str
    program_digest: str
    start: str = Field("", exclude_if=lambda start: not start)
    models: dict[str, ModelFacts]
    optimizer: str
    settings: dict[str, Any]
    bank: str | None
    metric: dict[str, str]
    versions: dict[str, str]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if "lm" not in self.models or "digest" not in self.suite:
            raise ValueError("it names no model or no suite")
        return self
