"""`worksmith run`: one task, step by step."""

from __future__ import annotations

from typing import Annotated

import typer

from worksmith.cli.choices import live_systems
from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, show
from worksmith.jobs.settings.programs import RunSettings

PromptsFlag = Annotated[
    bool,
    typer.Option("--prompts", help="Show the messages to models, and their replies, before each step."),
]


@from_settings(RunSettings, complete={"org": live_systems})
def run_task(settings: RunSettings, prompts: PromptsFlag = False, as_json: JsonFlag = False) -> None:
    """Run one task and show every step (thought, call, decision, observation) and the changes.

    With --lm human, you do it: type calls of tools and finish with an answer.
    """
    from worksmith.cli.programs.person import person
    from worksmith.jobs.task_run import run_task

    result = run_task(settings, prompts=prompts, person=person, progress=Terminal())
    show(result, as_json)
    if result.lost:
        raise typer.Exit(1)
