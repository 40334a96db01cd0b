"""`worksmith tasks`: check and draft tasks."""

from __future__ import annotations

import typer

from worksmith.cli.command import Commands
from worksmith.cli.options import JsonFlag, from_settings
from worksmith.cli.terminal import Terminal, show
from worksmith.jobs.settings.suites import TaskCheckSettings, TaskDraftSettings

app = Commands(help="Check the tasks of a suite, and draft tasks for a project.", no_args_is_help=True)


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


@app.command("generate")
@from_settings(TaskDraftSettings)
def generate(settings: TaskDraftSettings, as_json: JsonFlag = False) -> None:
    """Draft tasks from a project's tables and tools: questions, changes, and denials, with gold plans.

    A task is kept only if its plan was executed for its persona. The same project, count and seed give the
    same tasks.
    """
    from worksmith.jobs.task_drafting import draft_tasks

    show(draft_tasks(settings, progress=Terminal()), as_json)
