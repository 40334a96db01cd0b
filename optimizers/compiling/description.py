"""What decides the result of a compile, as data: its journal goes on with nothing else."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import dspy
from pydantic import BaseModel, PositiveInt, model_validator

from evals.dspy_programs.code import code_digest
from evals.dspy_programs.digests import model_digest, state_digest
from evals.tasks.task import SplitScheme

if TYPE_CHECKING:
    from evals.scoring.scorer import Scorer
    from optimizers.compiling.compile import Model, Plan


GOLD = "gold"
"""The name of the teacher that follows the tasks' gold plans."""


class Metric(NamedTuple):
    """What programs are chosen by: scorers whose `outcome` it is, and what journal and manifest say of it."""

    scorers: Sequence[Scorer]
    about: Mapping[str, str]


class _Of(BaseModel):
    """A model that takes part."""

    name: str
    digest: str


class Decided(BaseModel):
    """What `decides` said of a compile, read back from a journal."""

    suite: dict[str, str]
    scheme: SplitScheme
    train_limit: PositiveInt | None
    dev_limit: PositiveInt | None
    program: dict[str, Any]
    models: dict[str, _Of]
    optimizer: str
    settings: dict[str, Any]
    where: list[str] = []
    metric: dict[str, str] = {}

    @model_validator(mode="after")
    def _has_what_it_takes(self) -> Self:
        if "lm" not in self.models or "digest" not in self.suite:
            raise ValueError("it names no model or no suite")
        return self


def decides(plan: Plan, purpose: str = "compile") -> dict[str, Any]:
    """Everything that the result of `plan` depends on. The number of workers is no part of it.

    Args:
        purpose: what is done with the plan; two purposes share no journal.
    """
    suite = plan.suite
    return {
        "purpose": purpose,
        "suite": {
            "kind": suite.manifest.kind,
            "digest": suite.digest,
            # With the world's clock and persona, the access rules in use and the search index.
            "environment": suite.env.digest,
        },
        "scheme": plan.scheme,
        "train_limit": plan.train_limit,
        "dev_limit": plan.dev_limit,
        "program": dict(plan.describes),
        "program_code": code_digest(plan.program),
        "program_digest": state_digest(plan.program),
        "models": {role: _model(model) for role, model in models(plan).items()},
        "optimizer": plan.optimizer,
        "settings": plan.settings.to_json(),
        **({"where": list(map(str, plan.where))} if plan.where else {}),
        **({} if plan.bank is None else {"bank": plan.bank.digest}),
        **({} if plan.metric is None else {"metric": dict(plan.metric.about)}),
        "versions": versions(plan),
    }


def given(plan: Plan) -> dict[str, Any]:
    """What else was said of a plan and helps to find its parts again."""
    return {"suite": str(plan.suite.path)}


def models(plan: Plan) -> dict[str, Model]:
    """The models of a plan by what they do."""
    teacher = plan.teacher if plan.bank is None else None
    named = {"lm": plan.lm, "teacher": teacher, "proposer": plan.proposed_by()}
    return {role: model for role, model in named.items() if model is not None}


def versions(plan: Plan) -> dict[str, str]:
    """Of all software that a result depends on."""
    return {**(plan.versions or {}), "dspy": dspy.__version__, "python": platform.python_version()}


def _model(model: Model) -> dict[str, str]:
    return {"name": model.name, "digest": model_digest(model.lm)}
