"""`worksmith power`: how small a difference some tasks can show, or how many tasks a difference needs."""

from __future__ import annotations

from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import show
from worksmith.jobs.settings.runs import PowerSettings


@from_settings(PowerSettings)
def plan_comparison(settings: PowerSettings, as_json: JsonFlag = False) -> None:
    """Compute the smallest difference that tasks can show, the tasks that a difference needs, or the power.

    A difference can be shown if a paired test at 5 % finds it with a power of 80 %.
    """
    from worksmith.jobs.runs.power import plan_power

    show(plan_power(settings), as_json)
