from __future__ import annotations

from pathlib import Path

import pytest

from tests.evals import help_desk
from tests.worksmith.commands import called, printed
from worksmith.evals.suite import write_suite
from worksmith.evals.tasks.task import Task
from worksmith.jobs.opening.named_judges import check_judged
from worksmith.jobs.settings.suites import TaskCheckSettings
from worksmith.jobs.tasks.task_check import check_tasks
from worksmith.tools.errors import InputError


def suite(directory: Path, *tasks: Task) -> str:
    return str(write_suite(help_desk.env(directory).world, tasks).path)


def test_right_tasks_end_with_0(tmp_path: Path) -> None:
    said = printed("tasks", "check", suite(tmp_path, *help_desk.TASKS))
    assert (said["tasks"], said["with_gold_plan"], said["wrong"]) == (5, 5, 0)


def test_wrong_tasks_end_with_1_and_are_named(tmp_path: Path) -> None:
    broken = help_desk.CRUD.model_copy(update={"persona": help_desk.BO})
    place = suite(tmp_path, help_desk.SEARCH, broken)
    found = called("tasks", "check", place)
    assert found.exit_code == 1
    assert "wrong crud (test) plan.0: tickets.update ends as denied" in found.stdout
    (said,) = check_tasks(TaskCheckSettings(suite=Path(place))).to_json()["findings"]
    assert (said["level"], said["task"], said["part"]) == ("wrong", "crud", "plan.0")


def test_a_split_without_tasks_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the split dev has no tasks"):
        check_tasks(TaskCheckSettings(suite=Path(suite(tmp_path, help_desk.SEARCH)), split="dev"))


class Judged(Task):
    @property
    def judged(self) -> bool:
        return True


def test_tasks_with_rubrics_of_their_own_need_a_model_that_judges() -> None:
    task = Judged(id="a", query="q", domains=())
    check_judged([help_desk.SEARCH], ())
    with pytest.raises(InputError, match="name one with --judge"):
        check_judged([help_desk.SEARCH, task], ())
