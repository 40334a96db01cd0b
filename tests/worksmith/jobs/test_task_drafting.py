from __future__ import annotations

from pathlib import Path

import pytest

from tests.programs.office import Script, reply
from tests.worksmith.commands import printed
from worksmith.jobs.settings.suites import TaskDraftSettings
from worksmith.jobs.tasks.task_drafting import draft_tasks
from worksmith.tools.errors import InputError

ENVIRONMENT = '''
from typing import Any

from worksmith.tools.kinds.own_data.context import Context
from worksmith.tools.kinds.own_data.environment import Environment

PETS = [{"id": f"p{n}", "age": n, "kind": "cat" if n % 2 else "dog"} for n in range(1, 13)]
env = Environment.from_tables({"pets": PETS}, now="2026-01-05 09:00")


@env.tool(writes=False)
def read_pet(ctx: Context, pet_id: str) -> dict[str, Any]:
    """Read a pet."""
    return ctx["pets"].get(pet_id)


@env.tool
def set_age(ctx: Context, pet_id: str, age: int) -> None:
    """Set the age of a pet."""
    ctx["pets"].update(pet_id, age=age)
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "worksmith.toml").write_text("[environment]\n")
    (tmp_path / "environment.py").write_text(ENVIRONMENT)
    return tmp_path


def test_drafts_are_tasks_that_pass_the_check(project: Path) -> None:
    tasks = project / "tasks.jsonl"
    said = printed("tasks", "generate", project, "-o", tasks, "--count", 15)
    assert (said["tasks"], said["answers"] + said["changes"], said["denials"]) == (15, 15, 0)
    assert said["changes"] > 0
    assert printed("tasks", "check", project)["with_gold_plan"] == 15


def test_a_file_is_replaced_only_by_force(project: Path) -> None:
    tasks = project / "tasks.jsonl"
    tasks.write_text("mine")
    with pytest.raises(InputError, match="already there"):
        draft_tasks(TaskDraftSettings(suite=project, out=tasks))
    assert tasks.read_text() == "mine"
    draft_tasks(TaskDraftSettings(suite=project, out=tasks, count=2, force=True))
    assert len(tasks.read_text().splitlines()) == 2


def test_a_model_rewords_queries_if_the_checks_let_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = project / "tasks.jsonl"
    (line,) = draft_tasks(TaskDraftSettings(suite=project, out=tasks, count=1)).lines
    text = f"Could you tell me this: {line['query']}"
    stages = [reply(entities="{}"), reply(subgoals="-"), reply(templates="-")]
    script = Script(*stages, reply(task=text), reply(verdicts="YES " * 7))
    monkeypatch.setattr("worksmith.jobs.tasks.task_drafting.resolve", lambda name: script.lm())
    settings = TaskDraftSettings(suite=project, out=tasks, count=1, lm="openai/writer", force=True)
    assert draft_tasks(settings).lines == [{**line, "query": text}]


def test_a_folder_that_is_no_project_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is not a project"):
        draft_tasks(TaskDraftSettings(suite=tmp_path, out=tmp_path / "tasks.jsonl"))
