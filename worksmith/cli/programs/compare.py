"""`worksmith compare`: planning strategies and optimizers side by side on the same tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from worksmith.cli.choices import live_systems, tool_categories
from worksmith.cli.options import DryRunFlag, JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, end_stopped, say, show
from worksmith.jobs.settings.programs import CompareSettings

if TYPE_CHECKING:
    from worksmith.evals.running.study import Row


@from_settings(
    CompareSettings,
    complete={"without_tools": tool_categories, "org": live_systems},
    examples=(
        "worksmith compare helpdesk",
        "worksmith compare helpdesk --strategies react --optimizers none,race",
        "worksmith compare helpdesk --report report.html",
    ),
)
def compare_strategies(
    settings: CompareSettings, dry_run: DryRunFlag = False, as_json: JsonFlag = False
) -> None:
    """Compare strategies, uncompiled and compiled, and baselines on the same tasks.

    The program that an optimizer finds best on dev is compared without a test; these tasks test it.
    """
    from worksmith.jobs.compare_plan import plan_comparison
    from worksmith.jobs.comparison import compare

    if dry_run:
        show(plan_comparison(settings, progress=Terminal()), as_json)
        return
    result = compare(settings, progress=Terminal(), on_row=_say_row)
    show(result, as_json)
    if result.failed:
        raise typer.Exit(1)
    arms = result.missing + len(result.study.rows)
    end_stopped(result.stopped, f"{result.missing} of {arms} arms are missing; --resume with more goes on")


def _say_row(row: Row) -> None:
    from worksmith.evals.records.summary import on_tasks
    from worksmith.evals.table import percent
    from worksmith.jobs.parts.measurement import losses
    from worksmith.optimizers.registry import optimizer_class

    differs = optimizer_class(row.arm.optimizer).differs if row.arm.optimizer else ""
    if differs:
        say(f"{row.arm.label}: not as DSPy has it: {differs}")
    lossy = f" on {on_tasks(row.summary)}" if row.summary.errors else ""
    say(f"{row.arm.label}: outcome {percent(row.summary.scores.get('outcome'))} %{lossy}")
    for said in losses(row.result):
        say(f"{row.arm.label}: {said}")
