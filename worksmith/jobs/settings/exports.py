"""Settings of exports."""

from __future__ import annotations

from pathlib import Path

from worksmith.jobs.settings.base import setting
from worksmith.jobs.settings.groups.record import ExperimentSettings
from worksmith.jobs.settings.groups.tasks import SuiteSettings, TaskSettings


class ExportSettings(SuiteSettings, TaskSettings):
    """Write a suite as the files of another framework."""

    group = "Export"

    out: Path = setting(..., "Folder to write.", short="-o", path="folder")
    force: bool = setting(False, "Replace the files of an earlier export.")


class ExportMlflowSettings(SuiteSettings, TaskSettings, ExperimentSettings):
    """Keep tasks as an evaluation dataset of MLflow."""

    group = "Export"

    expectations: bool = setting(
        False, "Keep the expectations of the tasks as well, for scorers that compare with them."
    )
