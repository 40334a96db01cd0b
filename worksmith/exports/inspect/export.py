"""Write a file that inspect_ai runs."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.exports.choice import choice_of, chosen_tasks
from worksmith.exports.folder import check_folder, write_folder
from worksmith.jobs.showing.printing import Printed
from worksmith.tools.errors import needing

if TYPE_CHECKING:
    from worksmith.jobs.settings.exports import ExportSettings

_TASK = '''"""Tasks for inspect_ai: `inspect eval task.py --model worksmith/PROVIDER/MODEL`."""

from inspect_ai import Task, task

from worksmith.exports.inspect import inspect_task


@task
def tasks(
    suite={suite!r},
    split={split!r},
    limit={limit!r},
    where={where!r},
    scheme={scheme!r},
) -> Task:
    """The tasks of the suite; -T chooses others, such as -T split=dev."""
    return inspect_task(suite, split=split, limit=limit, where=where, scheme=scheme)
'''


def export(settings: ExportSettings, *, progress: Progress = SILENT) -> Printed:
    """Write `task.py`, a task of inspect_ai that opens the suite in its folder."""
    with needing("tasks for inspect_ai", "inspect"):
        import inspect_ai  # noqa: F401
    check_folder(settings)
    choice = choice_of(settings)
    _, _, tasks = chosen_tasks(settings.suite, **choice, progress=progress)
    text = _TASK.format(suite=str(settings.suite.resolve()), **choice)
    command = f"inspect eval {quote(str(settings.out / 'task.py'))} --model worksmith/PROVIDER/MODEL"
    return write_folder(settings, {"task.py": text}, len(tasks), command)
