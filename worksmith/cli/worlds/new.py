"""`worksmith new`: a project of your own to start from."""

from __future__ import annotations

from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, show
from worksmith.jobs.settings.suites import NewSettings


@from_settings(
    NewSettings,
    examples=(
        "worksmith new helpdesk",
        "worksmith new mine --from data",
        "worksmith new bakery --industry garden",
    ),
)
def new_project(settings: NewSettings, as_json: JsonFlag = False) -> None:
    """Write a small, commented project: tables, tools, rules, tasks, settings and a test. It runs at once.

    With --industry it writes what a generated company sells, to be rewritten for another trade.
    """
    from worksmith.jobs.project import new_project

    show(new_project(settings, progress=Terminal()), as_json)
