"""Draft tasks for a project: lines of a task file with gold plans that were executed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worksmith.evals.authoring.rewriting.writer import CALLS_AT_MOST, rewrite
from worksmith.evals.progress.progress import SILENT, Progress
from worksmith.evals.task_kind import TASK_KINDS, Drafting
from worksmith.jobs.showing.printing import Facts
from worksmith.models.resolve import resolve
from worksmith.tools.errors import InputError
from worksmith.tools.files import PROJECT_FILE
from worksmith.tools.files.atomic import check_free, write_atomically

if TYPE_CHECKING:
    from worksmith.evals.tasks.task import Task
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
        InputError: the folder is not a project, allows no drafts, or the file exists.
    """
    check_free(settings.out, force=settings.force)
    if not (settings.suite / PROJECT_FILE).is_file():
        raise InputError(
            f"this is not a project: it has no {PROJECT_FILE}",
            where=str(settings.suite),
            hint="make one with `worksmith new`",
        )
    drafting = TASK_KINDS.first(lambda kind: kind.draft_tasks, "drafts tasks")
    reword = _rewording(settings.lm, progress) if settings.lm is not None else None
    with progress.bar("draft") as tick:
        wanted = Drafting(settings.count, settings.seed, lambda done: tick(done, settings.count), reword)
        lines = drafting(settings.suite, wanted)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write_atomically(settings.out, text.encode())
    return TaskDraft(settings.out, lines)


def _rewording(name: str, progress: Progress) -> Callable[[Sequence[Task]], Sequence[Task]]:
    """Rewords tasks by the model of this name, in the published stages.

    Raises:
        InputError: the model is unknown.
    """
    lm = resolve(name)

    def reword(tasks: Sequence[Task]) -> Sequence[Task]:
        progress.say(f"{name} rewords {len(tasks)} queries, at most {CALLS_AT_MOST} calls each")
        written = rewrite(tasks, lm, None)
        kept = sum(new.query == old.query for new, old in zip(written, tasks, strict=True))
        if kept:
            progress.say(f"{kept} queries stay as they are: no text of {name} passed the checks")
        return written

    return reword
