from __future__ import annotations

import copy
import json
import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.evals import small_office
from tests.evals.episodes import make_task
from worksmith.evals.suite import MANIFEST_FILE, Suite, write_suite
from worksmith.evals.task_kind import TASK_KINDS, TaskKind
from worksmith.evals.tasks.task import Answer
from worksmith.evals.tasks.task_file import TASKS_FILE
from worksmith.tools.errors import InputError
from worksmith.tools.files import PROJECT_FILE


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    task = make_task(0).model_copy(update={"query": "Two\u2028lines and \x85 more"})
    return write_suite(small_office.world(tmp_path), [task, make_task(1)])


def test_a_text_may_hold_what_ends_a_line_elsewhere(suite: Suite) -> None:
    assert Suite.open(suite.path).tasks == suite.tasks


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"id": 3', "not a task: EOF"),
        (b'{"id": "a"}', "not a task: query: Field required"),
        (b"\xff", "not a task"),
    ],
)
def test_a_damaged_task_is_named_in_one_line(suite: Suite, line: bytes, said: str) -> None:
    with (suite.path / TASKS_FILE).open("ab") as file:
        file.write(line + b"\n")
    with pytest.raises(InputError, match=f"tasks.jsonl:3: {said}") as caught:
        Suite.open(suite.path)

    assert "\n" not in str(caught.value)


def test_a_suite_without_tasks_opens(tmp_path: Path) -> None:
    write_suite(small_office.world(tmp_path), [])

    assert Suite.open(tmp_path).tasks == ()


def test_the_rules_that_tasks_were_made_under_are_in_the_digest(suite: Suite) -> None:
    """Else who edits both the rules and what the manifest says of them would hide it."""
    file = suite.path / MANIFEST_FILE
    file.write_text(json.dumps({**json.loads(file.read_text()), "rules": "other"}))

    with pytest.raises(InputError, match="the suite differs from its manifest"):
        Suite.open(suite.path)


def test_a_limit_takes_its_share_of_every_kind_of_task_however_they_are_laid_out(suite: Suite) -> None:
    # Every fifth task of one intent has no answer: a period that plain counting would run into.
    laid = [
        make_task(
            number,
            id=f"t-{number:03}",
            intent="ask",
            answer=Answer(kind="entities" if number % 5 else "none"),
        )
        for number in range(100)
    ] + [make_task(number, id=f"u-{number:03}", intent="do") for number in range(50)]
    full = write_suite(suite.world, laid)
    chosen = full.select(split="all", limit=30)
    assert [task for task in laid if task in chosen] == chosen
    kinds = Counter((task.intent, task.answer.kind if task.answer else "") for task in chosen)
    assert abs(kinds["ask", "none"] - 4) <= 1
    assert abs(kinds["ask", "entities"] - 16) <= 1
    assert abs(kinds["do", ""] - 10) <= 1


def test_a_suite_that_was_put_away_when_its_build_was_killed_opens(suite: Suite, tmp_path: Path) -> None:
    os.rename(shutil.copytree(suite.path, tmp_path / "suite"), tmp_path / ".suite.old")

    assert Suite.open(tmp_path / "suite").digest == suite.digest


def test_a_suite_of_an_environment_and_tasks_needs_no_directory(suite: Suite) -> None:
    made = Suite(suite.env, suite.tasks)

    assert made.manifest == suite.manifest
    assert made.task(suite.tasks[1].id) is suite.tasks[1]
    with pytest.raises(InputError, match="no task 'x'"):
        made.task("x")


def test_a_file_of_tasks_is_read(suite: Suite) -> None:
    made = Suite(suite.env, suite.path / TASKS_FILE)

    assert made.tasks == suite.tasks
    assert made.path == suite.path


def test_two_tasks_with_one_id_are_refused(suite: Suite) -> None:
    with pytest.raises(InputError, match="two tasks have the id 'task-000'"):
        Suite(suite.env, [suite.tasks[0], *suite.tasks])


def test_examples_know_their_suite_and_whole_tasks_whatever_is_done_to_the_list(suite: Suite) -> None:
    laid = [make_task(number, split="train" if number % 2 else "dev") for number in range(6)]
    made = Suite(suite.env, laid)
    part = copy.deepcopy(made.train)[1:]
    part.reverse()

    assert part.suite is made
    assert part.split == "train"
    assert part.tasks == [laid[5], laid[3]]
    assert [example.inputs().keys() for example in part] == [["task"]] * 2
    assert made.dev.tasks == laid[::2]
    assert made.test.tasks == []


def test_a_folder_without_a_manifest_is_opened_by_the_kind_of_projects(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.setitem(
        TASK_KINDS._loaded, "a_project", TaskKind(name="a_project", open_project=lambda place: suite)
    )
    with pytest.raises(InputError, match="no suite here"):
        Suite.open(folder)
    (folder / PROJECT_FILE).touch()

    assert Suite.open(folder) is suite
