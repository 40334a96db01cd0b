"""Facts of a compile in manifests of programs and cards of runs."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from pydantic import AfterValidator, BaseModel, ConfigDict, TypeAdapter, with_config
from typing_extensions import TypedDict


@with_config(ConfigDict(extra="forbid"))
class MeasuredScore(TypedDict):
    """A score with its interval, see `worksmith.evals.records.summary.interval_json`."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    groups: NotRequired[int]


@with_config(ConfigDict(extra="forbid"))
class RaceFacts(TypedDict):
    """A candidate in a race, see `worksmith.optimizers.racing.race.Outcome.report`."""

    met: int
    left: str
    verdict: NotRequired[str]
    claim: NotRequired[str]
    rules: NotRequired[dict[str, Any]]
    said: NotRequired[str]
    sealed: NotRequired[int]
    accepted: NotRequired[bool]
    evidence: NotRequired[float]
    needed: NotRequired[float]
    intents: NotRequired[int]
    gains: NotRequired[dict[str, MeasuredScore]]
    optimism: NotRequired[dict[str, float]]


@with_config(ConfigDict(extra="forbid"))
class TrialFacts(TypedDict):
    """A candidate on the dev tasks; costs are means over episodes."""

    name: str
    program: str
    demonstrations: list[str]
    outcome: MeasuredScore
    errors: int
    scores: NotRequired[dict[str, float | None]]
    costs: NotRequired[dict[str, float]]
    broken: NotRequired[list[str]]
    race: NotRequired[RaceFacts]


@with_config(ConfigDict(extra="forbid"))
class AcceptanceFacts(TypedDict, total=False):
    """The remark on a program that no race has tested."""

    rule: str
    said: str


_TRIAL = TypeAdapter(TrialFacts)


def _checked(facts: dict[str, Any]) -> dict[str, Any]:
    _TRIAL.validate_python(facts)
    return facts


Trials = tuple[Annotated[dict[str, Any], AfterValidator(_checked)], ...]
"""Candidates, each as `TrialFacts`."""


class CompileFacts(BaseModel):
    """The compile of a run's program.

    Attributes:
        trials: the candidates' dev scores, in the order in which they were tried.
        chosen: the name of the trial that the program comes from.
        front: names of the trials that no other beats in score and in tokens.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    optimizer: str
    trials: Trials = ()
    chosen: str | None = None
    front: tuple[str, ...] = ()
