"""`worksmith check`: a program against its recorded baseline, for CI."""

from __future__ import annotations

import typer

from worksmith.cli.choices import live_systems
from worksmith.cli.options import DryRunFlag, JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, end_stopped, show
from worksmith.jobs.settings.programs import CheckSettings


@from_settings(
    CheckSettings,
    complete={"org": live_systems},
    examples=(
        "worksmith check helpdesk --program agent.json --baseline base.jsonl --update",
        "worksmith check helpdesk --program agent.json --baseline base.jsonl --constraint leak=0",
    ),
)
def check_program(settings: CheckSettings, dry_run: DryRunFlag = False, as_json: JsonFlag = False) -> None:
    """Evaluate a program, and fail if it is worse than a recorded baseline beyond doubt.

    Lists the tasks that turned. The exit code is 1 if the outcome or a constraint is worse.
    """
    from worksmith.jobs.checking import check
    from worksmith.jobs.evaluation import plan_evaluation

    if dry_run:
        show(plan_evaluation(settings, progress=Terminal()), as_json)
        return
    result = check(settings, progress=Terminal())
    show(result, as_json)
    if (result.worse and not result.updated) or result.evaluation.failed:
        raise typer.Exit(1)
    end_stopped(result.evaluation.stopped, f"{result.evaluation.unstarted} episodes were not run")
