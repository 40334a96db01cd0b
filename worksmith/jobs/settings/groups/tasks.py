"""Settings of suites, runs, and the choice of tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from worksmith.evals.tasks.task import SplitScheme
from worksmith.jobs.settings.base import JobSettings, setting

FIELDS = ("domain", "area", "subarea", "type", "difficulty", "intent", "persona", "department", "level")


GroundTruth = Literal["published", "corrected"]


SplitName = Literal["train", "dev", "test", "paired", "all"]


class SuiteSettings(JobSettings):
    suite: Path = setting(..., "Suite directory.", positional=True)


class RunsSettings(JobSettings):
    runs: tuple[str, ...] = setting(
        ...,
        "Episode log, folder of logs (a comparison), or id of an MLflow run with its child runs.",
        metavar="RUN",
        positional=True,
    )


class SchemeSettings(JobSettings):
    group = "Tasks"

    scheme: SplitScheme = setting(
        "standard", "standard (every intent in every split) or held_out_intents.", expert=True
    )


class ConditionSettings(JobSettings):
    group = "Tasks"

    where: tuple[str, ...] = setting(
        (),
        "Only tasks with this value, e.g. domain=calendar or area=HR,IT; repeatable.",
        metavar="FIELD=VALUE",
        suggest=[f"{name}=" for name in FIELDS],
    )


class LimitSettings(JobSettings):
    group = "Tasks"

    limit: int | None = setting(None, "The most tasks, spread evenly.", min=1)


class RatedSettings(JobSettings):
    group = "Tasks: more"

    rated: float | None = setting(
        None, "Only tasks that people rated at least so high on average (1 to 5).", min=1, max=5
    )


class TaskSettings(ConditionSettings, LimitSettings, SchemeSettings, RatedSettings):
    """The tasks of a suite that a job takes."""

    group = "Tasks"

    split: SplitName | None = setting(
        None, "train, dev, test, paired or all.", unset="test; all of a published task set"
    )
