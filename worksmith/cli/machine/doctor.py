"""`worksmith doctor`: check this machine and models before money or time is spent."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import show
from worksmith.jobs.settings.health import DoctorSettings


@from_settings(
    DoctorSettings,
    examples=(
        "worksmith doctor",
        "worksmith doctor openai/gpt-4o-mini --yes",
        'worksmith doctor "openai/gpt-4o-mini temperature=0.2"',
    ),
)
def examine(settings: DoctorSettings, as_json: JsonFlag = False) -> None:
    """Check this machine and the models that worksmith.toml and the command name; say what to do.

    Each model gets one short request, after confirmation; without a terminal only with --yes. Of a model on
    this machine that the command names the weights are read. The exit code is 1 if a check fails.
    """
    from worksmith.jobs.health.doctor import diagnose

    found = diagnose(settings, may_ask=_may_ask)
    show(found, as_json)
    if found.failed:
        raise typer.Exit(1)


def _may_ask(names: Sequence[str]) -> bool:
    if not sys.stdin.isatty():
        return False
    listed = ", ".join(names)
    return typer.confirm(
        f"Send one short request to each of {listed}? It costs a fraction of a cent each.", err=True
    )
