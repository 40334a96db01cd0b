"""The file that holds the tasks of a suite, one JSON line each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from worksmith.evals.tasks.task import Task
from worksmith.tools.files.atomic import write_atomically
from worksmith.tools.files.json_files import read_models

TASKS_FILE = "tasks.jsonl"


def read_tasks(directory: Path) -> tuple[Task, ...]:
    """The tasks of the suite in `directory`.

    Raises:
        InputError: the file is missing, or a line is not a task.
    """
    return tuple(read_models(directory / TASKS_FILE, Task, "a task", hint="build or import the suite again"))


def write_tasks(directory: Path, tasks: Sequence[Task]) -> None:
    """Write the tasks of a suite to `directory`."""
    lines = "".join(task.model_dump_json(exclude_defaults=True) + "\n" for task in tasks)
    write_atomically(directory / TASKS_FILE, lines.encode())
