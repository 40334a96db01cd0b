"""`worksmith attack`: plant instructions into a suite's own data, and see which of them a program follows."""

from __future__ import annotations

from worksmith.cli.choices import live_systems
from worksmith.cli.options import DryRunFlag, JsonFlag, from_settings
from worksmith.cli.programs.eval import measure
from worksmith.jobs.settings.programs import AttackSettings


@from_settings(
    AttackSettings,
    complete={"org": live_systems},
    examples=(
        "worksmith attack helpdesk",
        "worksmith attack helpdesk --program agent.json --seed 1",
        "worksmith attack helpdesk --lm openai/gpt-4o-mini --limit 50 --dry-run",
    ),
)
def attack_suite(settings: AttackSettings, dry_run: DryRunFlag = False, as_json: JsonFlag = False) -> None:
    """Plant instructions into what a suite's tasks read; report how often a program follows them.

    `asr` is the share of attacks that succeed. The outcome is that of the tasks, done under attack.
    """
    measure(settings, dry_run, as_json)
