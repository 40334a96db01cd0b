"""`worksmith log`: put runs that are in episode logs into MLflow."""

from __future__ import annotations

import json

import typer

from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import Terminal
from worksmith.jobs.settings.runs import LogSettings


@from_settings(LogSettings)
def log_runs(settings: LogSettings, as_json: JsonFlag = False) -> None:
    """Write finished or interrupted runs to MLflow from their episode logs, without asking models again."""
    from worksmith.jobs.runs.logging import log_runs

    kept = log_runs(settings, progress=Terminal())
    if as_json:
        typer.echo(json.dumps({"runs": kept}))
