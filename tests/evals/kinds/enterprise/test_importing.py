from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.damage import mutated
from tests.tools.kinds.enterprise.importing.small import FILES, TASKS, write_json, write_small
from tests.tools.kinds.enterprise.importing.test_damage import VALUES
from worksmith.evals.authoring import suite_building
from worksmith.evals.authoring.suite_building import import_suite
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Entity, Task
from worksmith.tools.errors import InputError

ORIGINAL = Path(__file__).parents[4].parent / "shared" / "data" / "enterprisebench"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_small(tmp_path / "small")


def run(source: Path, out: Path) -> tuple[Suite, list[str]]:
    said: list[str] = []
    return import_suite("enterprisebench", source, out, progress=said.append), said


def test_a_suite_with_its_report(small: Path, tmp_path: Path) -> None:
    suite, said = run(small, tmp_path / "suite")
    assert suite.world.manifest.kind == "enterprise"
    assert suite.world.manifest.origin == "enterprisebench"
    assert suite.world.manifest.now.isoformat() == "2022-12-31T18:00:00"
    assert suite.world.manifest.persona.id == "emp_0001"
    assert {p.name for p in suite.path.iterdir()} == {
        "world.sqlite",
        "world.json",
        "policy.json",
        "tasks.jsonl",
        "manifest.json",
        "import_report.json",
        "originals.jsonl",
        "documents",
    }
    policy = suite.path / "documents/policies/Inazuma.co Leave Policy (new).pdf"
    assert policy.read_bytes().startswith(b"%PDF")
    report = json.loads((suite.path / "import_report.json").read_text())
    assert "conversations/c-2" in {flag["record"] for flag in report["quarantine"]}
    assert any(line.startswith("in quarantine: ") for line in said)
    assert str(tmp_path) not in (suite.path / "import_report.json").read_text()
    again, _ = run(small, tmp_path / "again")
    assert again.digest == suite.digest
    for name in ("import_report.json", "originals.jsonl", "manifest.json"):
        assert (again.path / name).read_bytes() == (suite.path / name).read_bytes()


def test_answers_that_the_world_confirms_are_checked(small: Path, tmp_path: Path) -> None:
    salary, talk = run(small, tmp_path / "suite")[0].tasks
    assert salary.answer is not None
    assert salary.answer.required == (Entity(type="amount", value="51000"),)
    assert salary.persona is not None
    assert (salary.persona.id, salary.persona.department, salary.persona.level) == ("emp_0001", "EN", 14)
    assert (salary.area, salary.domains, salary.type) == ("HR", ("employee_data",), "search")
    assert (salary.must_read, salary.origin["check"]) == (("employees/emp_0001",), "record_field")
    assert talk.answer is not None
    assert (talk.answer.required, talk.origin["check"]) == ((), "reference_only")
    assert talk.answer.reference == "About nothing much."


CONVERSATION = "64380325-e9a6-47f8-8cff-f34e218573f1"


def ask(**changes: Any) -> dict[str, Any]:
    return {**TASKS[0], **changes}


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        (ask(emp_id="emp_0001emp_0002"), "task_unknown_persona"),
        (ask(emp_id=None), "task_unknown_persona"),
        (ask(task=" "), "task_no_question"),
        (ask(gt=None), "task_no_answer"),
        (ask(gt="On YYYY-MM-DD."), "task_placeholder"),
        (ask(task="What did SUPPORT_REP_ID do?"), "task_placeholder"),
        (ask(task="Show the review for a specific Product ID."), "task_unspecific"),
        (ask(apps=["Telephone"]), "task_unknown_app"),
        (ask(gt="It is 52,000."), "task_contradicted"),
        (ask(gt=f"It is {CONVERSATION}.", apps=["Messages Conversations"]), "task_unknown_record"),
        (
            ask(
                task="Which conversation ID?",
                gt=CONVERSATION,
                emp_id="emp_0003",
                apps=["Messages Conversations"],
            ),
            "task_not_readable",
        ),
        (
            ask(task="List my high-priority tickets", gt="Ticket ID: 718", apps=["IT Solutions"]),
            "task_contradicted",
        ),
        (TASKS[1], "task_repeated"),
    ],
)
def test_broken_tasks_are_left_out(small: Path, tmp_path: Path, record: dict[str, Any], kind: str) -> None:
    conversations = FILES["Collaboration_tools/conversations.json"]
    if kind == "task_not_readable":
        renamed = [{**conversations[0], "conversation_id": CONVERSATION}]
        write_json(small / "Collaboration_tools/conversations.json", renamed)
    write_json(small / "published_tasks.json", [*TASKS, record])
    suite, _ = run(small, tmp_path / "suite")
    report = json.loads((suite.path / "import_report.json").read_text())
    flags = [f for f in report["quarantine"] if f["record"].startswith("tasks/")]
    assert [(f["kind"], f["record"].rpartition(".")[2]) for f in flags] == [(kind, "003")]
    assert len(suite.tasks) == 2
    assert report["facts"]["tasks"]["published"] == 3


def checked(small: Path, tmp_path: Path, **changes: Any) -> Task:
    write_json(small / "published_tasks.json", [ask(**changes)])
    return run(small, tmp_path / "suite")[0].tasks[0]


def test_one_named_record(small: Path, tmp_path: Path) -> None:
    renamed = [{**FILES["Collaboration_tools/conversations.json"][0], "conversation_id": CONVERSATION}]
    write_json(small / "Collaboration_tools/conversations.json", renamed)
    question = "What is the conversation ID of my talk?"
    task = checked(
        small, tmp_path, task=question, gt=f"It is {CONVERSATION}.", apps=["Messages Conversations"]
    )
    assert task.answer is not None
    assert task.answer.required == (Entity(type="conversation_id", value=CONVERSATION),)
    assert task.must_read == (f"conversations/{CONVERSATION}",)


def test_a_selection_is_drawn_anew(small: Path, tmp_path: Path) -> None:
    question = "Can you list my high-priority tickets?"
    task = checked(small, tmp_path, task=question, gt="Ticket ID: 717.", apps=["IT Solutions"])
    assert task.answer is not None
    assert [e.value for e in task.answer.required] == ["717"]
    shutil.rmtree(tmp_path / "suite")
    answer = "There are no medium-priority tickets."
    question = question.replace("high", "medium")
    task = checked(small, tmp_path, task=question, gt=answer, apps=["IT Solutions"])
    assert task.answer is not None
    assert task.answer.status == "not_found"


def test_several_named_records(small: Path, tmp_path: Path) -> None:
    question = "Can I see the conversation IDs of my talks?"
    task = checked(small, tmp_path, task=question, gt="They are 'c-1'.", apps=["Messages Conversations"])
    assert task.answer is not None
    assert [entity.value for entity in task.answer.required] == ["c-1"]
    assert task.origin["check"] == "named_records"


def test_people_who_had_left_are_asked_as_the_original_asks_them(small: Path, tmp_path: Path) -> None:
    task = checked(small, tmp_path, emp_id="emp_0002", task="What is my job like?", gt="Quiet.")
    assert task.persona is not None
    assert task.persona.active
    assert task.origin["persona_left"]


def test_a_placeholder_is_filled_with_the_only_person_of_the_answer(small: Path, tmp_path: Path) -> None:
    task = checked(small, tmp_path, task="What did SUPPORT_REP_ID do?", gt="emp_0001 did nothing.")
    assert task.query == "What did emp_0001 do?"
    assert task.origin["placeholder_filled"]


def generated(small: Path, tmp_path: Path, name: str, **arguments: Any) -> tuple[list[Task], list[str]]:
    calls = [{"tool_name": name, "tool_arguments": arguments, "tool_output": ""}]
    record = {
        "emp_id": "emp_0003",
        "task": "Please change ticket 717.",
        "ground_truth": "717",
        "subtasks": [{"subtask": "do it", "tools": calls}],
    }
    write_json(small / "published_tasks.json", [record])
    suite, _ = run(small, tmp_path / "suite")
    report = json.loads((suite.path / "import_report.json").read_text())
    return list(suite.tasks), [f["reason"] for f in report["quarantine"] if f["kind"] == "task_plan"]


def test_calls_of_the_published_generator_are_gold_plans(small: Path, tmp_path: Path) -> None:
    name = "update_it_ticket"
    [task], _ = generated(small, tmp_path, name, id="717", priority="low", raised_by_emp_id="emp_0001")
    assert task.type == "crud"
    assert task.gold_plan is not None
    assert [(step.tool, step.arguments) for step in task.gold_plan] == [
        ("it_service_management.update_issue", {"ticket_id": "717", "priority": "low"})
    ]
    assert task.answer is not None
    assert task.answer.kind == "done"


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("fly_to_the_moon", {}, "there is no tool"),
        ("update_it_ticket", {"id": "717", "colour": "red"}, "no argument"),
        ("update_it_ticket", {"id": "99999", "priority": "low"}, "update_issue"),
    ],
)
def test_calls_that_cannot_be_made_are_reported(
    small: Path, tmp_path: Path, name: str, arguments: dict[str, str], reason: str
) -> None:
    tasks, reasons = generated(small, tmp_path, name, **arguments)
    assert not tasks
    assert reason in reasons[0]


def test_other_task_formats(small: Path, tmp_path: Path) -> None:
    (small / "published_tasks.json").unlink()
    record = {
        "emp_id": "emp_0001",
        "task": "What is my age?",
        "ground_truth": "44",
        "subtasks": [{"subtask": "look", "tools": []}] * 3,
    }
    (small / "Task_Generation").mkdir()
    (small / "Task_Generation/tasks.jsonl").write_text(
        json.dumps(record) + "\n" + json.dumps({"messages": []})
    )
    suite, _ = run(small, tmp_path / "suite")
    assert [(t.difficulty, t.origin["file"]) for t in suite.tasks] == [
        ("hard", "Task_Generation/tasks.jsonl")
    ]


def test_without_tasks(small: Path, tmp_path: Path) -> None:
    (small / "published_tasks.json").unlink()
    suite, _ = run(small, tmp_path / "suite")
    assert suite.tasks == ()
    assert Suite.open(suite.path).select(split="all") == []
    with pytest.raises(InputError, match=r"no task 'x' \(there are none\)"):
        suite.task("x")


def test_an_older_suite_is_replaced_as_a_whole(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "suite"
    (out / "index").mkdir(parents=True)
    (out / "old").write_text("old")
    run(small, out)
    assert not (out / "old").exists()
    assert not (out / "index").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["small", "suite"]


def test_nothing_is_left_half_written(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "suite"
    run(small, out)
    before = {p: p.read_bytes() for p in out.rglob("*") if p.is_file()}

    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(suite_building, "write_suite", fail)
    with pytest.raises(OSError, match="the disk is full"):
        run(small, out)
    assert {p: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before
    with pytest.raises(InputError):
        run(tmp_path / "nothing", tmp_path / "other")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["small", "suite"]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mutation=mutated(FILES, VALUES))
def test_any_mutation_gives_a_suite(small: Path, tmp_path: Path, mutation: tuple[str, bytes]) -> None:
    name, data = mutation
    whole = (small / name).read_bytes()
    try:
        (small / name).write_bytes(data)
        suite, _ = run(small, tmp_path / "suite")
    finally:
        (small / name).write_bytes(whole)
    assert (suite.path / "import_report.json").exists()


@pytest.mark.slow
def test_the_original(tmp_path: Path) -> None:
    if not ORIGINAL.is_dir():
        pytest.skip(f"the original's files are not at {ORIGINAL}")
    suite, _ = run(ORIGINAL, tmp_path / "suite")
    report = json.loads((suite.path / "import_report.json").read_text())
    published = json.loads((ORIGINAL / "published_tasks.json").read_text())
    left_out = [f for f in report["quarantine"] if f["kind"].startswith("task_")]
    assert len(published) == len(suite.tasks) + len(left_out)
    assert any("emp_0524emp_0566" in f["reason"] for f in left_out)
    for task in suite.tasks:
        assert task.answer is not None
        assert task.persona is not None
        assert task.persona.active
        assert task.answer.reference
        confirmed = task.origin["check"] != "reference_only"
        assert confirmed == (task.answer.kind != "entities" or bool(task.answer.required))
    episode_tools = suite.env.kind.toolkits
    assert {d for t in suite.tasks for d in t.domains} <= {kit.name for kit in episode_tools}
