"""`worksmith eval`: run a program on a suite's tasks and score every episode."""

from __future__ import annotations

import typer

from worksmith.cli.choices import live_systems
from worksmith.cli.options import DryRunFlag, JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, end_stopped, say, show
from worksmith.jobs.settings.programs import EvalSettings


@from_settings(
    EvalSettings,
    complete={"org": live_systems},
    examples=(
        "worksmith eval helpdesk",
        "worksmith eval helpdesk --lm openai/gpt-4o-mini --max-usd 1",
        "worksmith eval helpdesk --program agent.json --trials 3",
    ),
)
def evaluate_program(settings: EvalSettings, dry_run: DryRunFlag = False, as_json: JsonFlag = False) -> None:
    """Run a program on a suite's tasks and score every episode by its outcome."""
    measure(settings, dry_run, as_json)


def measure(settings: EvalSettings, dry_run: bool, as_json: bool) -> None:
    """Print the plan of an evaluation, or its result."""
    from worksmith.jobs.evaluation import evaluate, plan_evaluation

    if dry_run:
        show(plan_evaluation(settings, progress=Terminal()), as_json)
        return
    result = evaluate(settings, progress=Terminal())
    show(result, as_json)
    for loss in result.losses if as_json else ():
        say(loss)
    if result.failed:
        raise typer.Exit(1)
    end_stopped(result.stopped, f"{result.unstarted} episodes were not run; --resume with more goes on")
