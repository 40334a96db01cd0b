"""Settings of the MLflow record."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from worksmith.jobs.settings.base import JobSettings, setting


class StoreSettings(JobSettings):
    """The MLflow store."""

    group = "Record"

    tracking_uri: str | None = setting(
        None,
        "MLflow store.",
        unset="sqlite:///mlruns/mlflow.db",
        variable="MLFLOW_TRACKING_URI",
        recorded=False,
        expert=True,
    )


def traces(default: str) -> str:
    """Declare the setting for the episodes that become traces."""
    choice: str = setting(
        default,
        "Episodes that become MLflow traces: some (100 failures and 20 others), most (all up to 1,000, else "
        "1,000 by their keys), all, failures, sample:N or none. Those of baselines with `all` only.",
        metavar="CHOICE",
        expert=True,
        suggest=("some", "most", "all", "failures", "sample:100", "none"),
        recorded=False,
    )
    return choice


def _named(name: str | None) -> str | None:
    if name is not None and not name.strip():
        raise ValueError("an experiment needs a name")
    return name


class ExperimentSettings(StoreSettings):
    """The MLflow experiment."""

    group = "Record"

    experiment: Annotated[str | None, BeforeValidator(_named)] = setting(
        None,
        "MLflow experiment.",
        unset="the suite's name",
        variable="MLFLOW_EXPERIMENT_NAME",
        recorded=False,
    )


class TracedSettings(ExperimentSettings):
    """The MLflow experiment, and the episodes that become traces."""

    group = "Record"

    traces: str = traces("some")


class TrackSettings(JobSettings):
    group = "Record"

    track: bool = setting(True, "Record the run in MLflow.", recorded=False)


class MlflowSettings(TrackSettings, TracedSettings):
    """The record of a job in MLflow."""

    group = "Record"
