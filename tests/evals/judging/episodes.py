"""Records of answers to the tasks of the help desk."""

from __future__ import annotations

from typing import Any

from tests.evals.episodes import make_record
from worksmith.evals.records.entries import ChangeEntry, Judgement
from worksmith.evals.records.record import EpisodeRecord
from worksmith.evals.tasks.task import Task

CLOSED = ChangeEntry(
    table="tickets", operation="update", row=1, before={"status": "open"}, after={"status": "resolved"}
)
TOLD = ChangeEntry(
    table="mail",
    operation="insert",
    row=1,
    after={
        "email_id": "EM-0",
        "sender": "emp_0001",
        "recipient": "emp_0002",
        "date": "2022-12-31",
        "body": "Ticket 1001 of 2022-03-04 is resolved.",
    },
)


def answered(task: Task, answer: str, status: str = "answered", **changes: Any) -> EpisodeRecord:
    return make_record(0, answer=answer, answer_status=status, task_id=task.id, **changes)


class Says:
    """A judge that always says the same."""

    def __init__(self, name: str, level: int | None, status: Any = "ok") -> None:
        self.name = self.digest = name
        self.level, self.status = level, status
        self.asked = 0

    def __call__(self, task: Task, record: EpisodeRecord) -> Judgement:
        self.asked += 1
        return Judgement(judge=self.name, rubric="r", status=self.status, level=self.level, prompt_tokens=7)
