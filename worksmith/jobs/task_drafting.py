"""Draft tasks for a project: lines of a task file with gold plans that were executed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.task_kind import TASK_KINDS
from tools.errors import InputError
from tools.files.atomic import check_writable, write_atomically
from tools.files.project_file import PROJECT_FILE
from worksmith.jobs.parts.printing import Facts
from worksmith.jobs.parts.progress import SILENT, Progress

if TYPE_CHECKING:
    from worksmith.jobs.settings.suites import TaskDraftSettings


@dataclass(frozen=True)
class TaskDraft(Facts):
    """The drafted tasks.

    Attributes:
        lines: of the file that was written.
    """

    file: Path
    lines: Sequence[dict[str, Any]]

    def facts(self) -> dict[str, Any]:
        expected = Counter("changes" if "changes" in line else "answers" for line in self.lines)
        denied = sum(line.get("answer") == {"status": "denied"} for line in self.lines)
        return {
            "file": str(self.file),
            "tasks": len(self.lines),
            "intents": len({line["intent"] for line in self.lines}),
            "answers": expected["answers"] - denied,
            "changes": expected["changes"],
            "denials": denied,
        }


def draft_tasks(settings: TaskDraftSettings, *, progress: Progress = SILENT) -> TaskDraft:
    """Draft tasks from the tables of a project, and write them to a file.

    Raises:
        InputError: the folder is no project, nothing can be drafted from it, or the file is there.
    """
    if settings.out.exists() and not settings.force:
        raise InputError(
            "the file is already there", where=str(settings.out), hint="give --force to replace it"
        )
    check_writable(settings.out)
    if not (settings.suite / PROJECT_FILE).is_file():
        raise InputError(
            f"this is no project: it has no {PROJECT_FILE}",
            where=str(settings.suite),
            hint="make one with `worksmith new`",
        )
    drafting = next((kind.draft_tasks for kind in TASK_KINDS.all() if kind.draft_tasks is not None), None)
    if drafting is None:
        raise InputError("no installed kind drafts tasks")
    with progress.bar("draft") as tick:
        lines = drafting(
            settings.suite, settings.count, settings.seed, lambda done: tick(done, settings.count)
        )
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write_atomically(settings.out, text.encode())
    return TaskDraft(settings.out, lines)
