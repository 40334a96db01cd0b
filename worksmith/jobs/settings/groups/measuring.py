"""Settings of every measurement of programs."""

from __future__ import annotations

from worksmith.jobs.settings.base import setting
from worksmith.jobs.settings.groups.episodes import (
    BudgetSettings,
    EngineSettings,
    EpisodeSettings,
    OrgSettings,
    SeedSettings,
    TimeLimitSettings,
)
from worksmith.jobs.settings.groups.judging import JudgeOptions
from worksmith.jobs.settings.groups.models import CacheSettings
from worksmith.jobs.settings.groups.record import MlflowSettings
from worksmith.jobs.settings.groups.tasks import SuiteSettings, TaskSettings


class MeasureSettings(
    SuiteSettings,
    TaskSettings,
    EpisodeSettings,
    SeedSettings,
    EngineSettings,
    TimeLimitSettings,
    CacheSettings,
    JudgeOptions,
    OrgSettings,
    BudgetSettings,
    MlflowSettings,
):
    """The tasks on which programs are measured, and how they are."""

    group = "Run"

    attack: bool = setting(
        False, "Plant instructions into what the tasks read; report who follows them.", expert=True
    )
    resume: bool = setting(False, "Continue the logs of a stopped run.", recorded=False)
