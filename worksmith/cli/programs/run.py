"""`worksmith run`: one task, step by step."""

from __future__ import annotations

from typing import Annotated

import typer

from worksmith.cli.choices import live_systems
from worksmith.cli.options import DryRunFlag, JsonFlag, from_settings
from worksmith.cli.terminal import show
from worksmith.evals.progress.screen import Terminal
from worksmith.jobs.settings.programs import RunSettings

PromptsFlag = Annotated[
    bool,
    typer.Option("--prompts", help="Show the messages to models, and their replies, before each step."),
]

CommitFlag = Annotated[
    bool,
    typer.Option("--commit", help="Let the environment's function (@env.commit) make the proposed changes."),
]


@from_settings(
    RunSettings,
    complete={"org": live_systems},
    examples=(
        "worksmith run helpdesk close-3 --prompts",
        'worksmith run helpdesk "Close T-1036" --as kofi --program agent.json',
    ),
)
def run_task(
    settings: RunSettings,
    prompts: PromptsFlag = False,
    commit: CommitFlag = False,
    dry_run: DryRunFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Run one task and show every step (thought, call, decision, observation) and the changes.

    The task is one of the suite, or any request in words, which nothing scores. The tables stay as they are.
    With --lm human, you do it: type calls of tools and finish with an answer.
    """
    from worksmith.cli.programs.person import person
    from worksmith.jobs.tasks.task_run import TaskPlan

    plan = TaskPlan.open(settings, person=person, commits=commit, progress=Terminal())
    if dry_run:
        show(plan.asked, as_json)
        return
    result = plan.run(prompts=prompts)
    show(result, as_json)
    if result.lost:
        raise typer.Exit(1)
