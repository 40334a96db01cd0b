"""`worksmith tasks`: check tasks."""

from __future__ import annotations

import typer

from worksmith.cli.command import Commands
from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, show
from worksmith.jobs.settings.suites import TaskCheckSettings

app = Commands(help="Check the tasks of a suite.", no_args_is_help=True)


@app.callback()
def _tasks() -> None:
    """Check the tasks of a suite."""


@app.command("check")
@from_settings(TaskCheckSettings)
def check(settings: TaskCheckSettings, as_json: JsonFlag = False) -> None:
    """Execute every gold plan and expectation as the task's persona, and say what is wrong with which task.

    Ends with 1 if a task is wrong, or if no tool could do it; notes are no faults.
    """
    from worksmith.jobs.task_check import check_tasks

    found = check_tasks(settings, progress=Terminal())
    show(found, as_json)
    if not found.passed:
        raise typer.Exit(1)
