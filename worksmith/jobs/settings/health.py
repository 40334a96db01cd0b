"""Settings of the doctor."""

from __future__ import annotations

from pathlib import Path

from worksmith.jobs.settings.base import setting
from worksmith.jobs.settings.groups.models import MODELS
from worksmith.jobs.settings.groups.record import StoreSettings


class DoctorSettings(StoreSettings):
    """Check this machine and the models that worksmith.toml and the command name."""

    models: tuple[str, ...] = setting(
        (), "Further models to check, by name.", metavar="MODEL", positional=True, suggest=MODELS
    )
    yes: bool = setting(
        False,
        "Ask each model once without confirmation; this costs a fraction of a cent each.",
        recorded=False,
    )
    wait: float = setting(
        10.0, "Most seconds to wait for a model.", metavar="SECONDS", min=0.001, recorded=False
    )
    prices: Path | None = setting(
        None,
        "Table of prices (TOML): input and output of each model in dollars per million tokens.",
        unset="list prices",
        path="file",
        recorded=False,
        expert=True,
    )
