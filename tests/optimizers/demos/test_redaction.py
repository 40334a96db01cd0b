"""Twins show how a task was done, and nothing of whose records it was done on."""

from __future__ import annotations

import json
import re
import unicodedata
from datetime import datetime
from typing import Any

import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.canaries.hunt import Hunt, personas
from benchmarks.canaries.intruder import IntruderEngine, intruder_task
from benchmarks.canaries.plant import TOKEN, Planted, plant
from benchmarks.canaries.world import NOW
from tests.tools.kinds.enterprise.small_world import small_rows
from worksmith.evals.dspy_programs.demo_format import NOTES
from worksmith.evals.dspy_programs.nearest import NearestSettings, show_nearest
from worksmith.evals.tasks.task import Task
from worksmith.optimizers.demos.demonstration import Call, example_calls
from worksmith.optimizers.demos.redaction import with_twins
from worksmith.programs.agent import Agent
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.enterprise.schema import TABLES
from worksmith.tools.persona import Persona
from worksmith.tools.policy import DENIED
from worksmith.tools.world import write_world

TASK = Task(
    id="t1",
    query="Which day did Meera Pillai settle on for the Amber Heron launch?",
    domains=("conversations",),
    slots={"person": "Meera Pillai", "project": "Amber Heron"},
)


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> tuple[Environment, Planted]:
    planted = plant(small_rows())
    nobody = Persona(id="", name="")
    folder = tmp_path_factory.mktemp("twins")
    world = write_world(
        folder, TABLES, planted.rows, kind="enterprise", origin="canaries", now=NOW, persona=nobody
    )
    return Environment(world), planted


def call(observation: Any, answer: str, **arguments: str) -> Call:
    step = {"thought": "I look for it.", "tool": "conversations.read", "arguments": arguments}
    inputs = {
        "context": "Now: Saturday 2022-12-31 18:00. Working for: Ravi Sen (emp_0042, Sales, level 9).",
        "task": TASK.query,
        "trajectory": [{**step, "observation": json.dumps(observation)}],
        NOTES: {"records": ["conversations/CV-00017"]},
    }
    return Call(inputs, {"tool": "finish", "arguments": {"status": "answered", "answer": answer}})


def twin(env: Environment, made: Call, task: Task = TASK) -> dict[str, Any]:
    found: dict[str, Any] = with_twins({"predict": made}, task, env)["predict"].inputs[NOTES]["redacted"]
    return found


CHAT = {
    "total": 1,
    "records": [
        {
            "conversation_id": "CV-00017",
            "date": "2022-11-02",
            "status": "open",
            "text": "Meera Pillai: Amber Heron goes live on 2022-12-09, budget 450000.",
        }
    ],
}


def test_nothing_of_the_record_is_left(company: tuple[Environment, Planted]) -> None:
    made = json.dumps(twin(company[0], call(CHAT, "2022-12-09", with_employee="Meera Pillai")))
    for secret in (
        "Meera",
        "Pillai",
        "Amber",
        "Heron",
        "00017",
        "2022-12-09",
        "2022-11-02",
        "450000",
        "budget",
    ):
        assert secret.lower() not in made.lower(), secret


def test_what_was_copied_from_where_can_still_be_seen(company: tuple[Environment, Planted]) -> None:
    made = twin(company[0], call(CHAT, "2022-12-09", with_employee="Meera Pillai"))
    [step] = made["trajectory"]
    person = step["arguments"]["with_employee"]
    record = json.loads(step["observation"])["records"][0]
    assert person in made["task"]
    assert person in record["text"]
    assert made["arguments"]["answer"] in record["text"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", made["arguments"]["answer"])


def test_what_is_public_stays(company: tuple[Environment, Planted]) -> None:
    made = twin(company[0], call(CHAT, "2022-12-09", with_employee="Meera Pillai"))
    assert made["task"].startswith("Which day did ")
    assert made["trajectory"][0]["tool"] == "conversations.read"
    assert made["arguments"]["status"] == "answered"
    assert json.loads(made["trajectory"][0]["observation"])["records"][0]["status"] == "open"
    assert "2022-12-31" in made["context"]


def test_what_every_task_of_an_intent_is_told_stays(company: tuple[Environment, Planted]) -> None:
    told = "A launch of Amber projects is settled by 2022-12-09 in at most 450000 steps."
    made = call(CHAT, "2022-12-09", with_employee="Meera Pillai")
    made.inputs["context"] += f"\n\n{told}"
    shown = twin(company[0], made, TASK.model_copy(update={"context": told}))
    clock, _, rest = shown["context"].partition("\n\n")

    assert rest.startswith(told)
    assert "2022-12-31 18:00" in clock
    assert "Amber" not in json.dumps({**shown, "context": ""})


def test_the_same_demonstration_has_the_same_twin_and_another_task_another(
    company: tuple[Environment, Planted],
) -> None:
    made = call(CHAT, "2022-12-09")
    other = TASK.model_copy(update={"id": "t2"})
    assert twin(company[0], made) == twin(company[0], made)
    assert twin(company[0], made)["task"] != twin(company[0], made, other)["task"]


def test_a_task_without_known_slots_has_no_twin(company: tuple[Environment, Planted]) -> None:
    bare = TASK.model_copy(update={"slots": {}})
    made = with_twins({"predict": call(CHAT, "2022-12-09")}, bare, company[0])
    assert "redacted" not in made["predict"].inputs[NOTES]


@given(secret=st.from_regex(r"[B-Zb-z][a-z]{6,9}q[0-9]{0,3}", fullmatch=True))
def test_no_word_of_any_record_survives(company: tuple[Environment, Planted], secret: str) -> None:
    chat = {"total": 1, "records": [{"conversation_id": "CV-1", "text": f"It is {secret}, said {secret}."}]}
    made = twin(company[0], call(chat, secret, query=f"about {secret}"))
    assert secret.lower() not in json.dumps(made).lower()


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("张伟民", "请取消张伟民的会议"),
        ("김민준", "김민준과의 회의를 취소해 주세요"),
        ("สมชาย", "ยกเลิกประชุมกับสมชายวันนี้"),
        ("मीरा", "मीरा की बैठक रद्द करें"),
        ("Андрей", "Андрей ждёт: отмени встречу"),
        ("Zoë", "Cancel the meeting with Zoë"),
    ],
)
def test_a_name_of_any_script_is_hidden(company: tuple[Environment, Planted], name: str, query: str) -> None:
    task = TASK.model_copy(update={"query": query, "slots": {"person": name}})
    shown = call({"text": unicodedata.normalize("NFD", name)}, name, with_employee=name)
    made = twin(company[0], Call({**shown.inputs, "task": query}, shown.outputs), task)

    said = unicodedata.normalize("NFC", json.dumps(made, ensure_ascii=False))
    assert name not in said
    assert unicodedata.normalize("NFC", name)[:2] not in said


@pytest.mark.slow
def test_prompts_with_twins_hold_no_token_that_their_persona_may_not_read(
    company: tuple[Environment, Planted],
) -> None:
    env, planted = company
    people = personas(env, planted, 50)
    hunt = Hunt(env, planted)
    agent = show_nearest(
        Agent("react", env=env), {"selector.predict": NearestSettings(field="task", count=4)}
    )
    agent.selector.predict.demos = [_demonstration(agent, hunt, who, env) for who in people if who.active]
    engine = IntruderEngine(hunt, {who.id: who for who in people})
    with dspy.context(lm=_lm(engine)):
        for number, who in enumerate(people):
            agent(task=intruder_task(who, 1000 + number))
    shown = "\n".join(prompt for who in people for prompt in engine.prompts[who.id])
    for who in people:
        hunt.text(who, "prompt", "\n".join(engine.prompts[who.id]))
    assert hunt.catch.leaks == []
    assert "are made up" in shown


def _demonstration(agent: Agent, hunt: Hunt, who: Persona, env: Environment) -> dspy.Example:
    """What an attacker's agent did for somebody, as an optimizer keeps it."""
    task = intruder_task(who, 0).model_copy(update={"id": f"theft.{who.id}", "slots": {"who": who.id}})
    with dspy.context(lm=_lm(IntruderEngine(hunt, {who.id: who})), trace=[]):
        agent(task=task)
        calls = with_twins(example_calls(agent, dspy.settings.trace, 0, task.id), task, env)
    fields = calls["selector.predict"].fields
    assert not re.search(TOKEN, json.dumps(fields[NOTES]["redacted"]))
    return dspy.Example(augmented=True, **fields)


def _lm(engine: Any) -> dspy.LM:
    return dspy.LM("local/intruder", engine=engine, cache=False, num_retries=0)


@pytest.mark.parametrize("quoted", ["employees/emp_0042#private", "employees/*"])
def test_no_number_is_left_where_private_fields_are_quoted(
    company: tuple[Environment, Planted], quoted: str
) -> None:
    """Department and level tell who it is, so that a bare age or rating would be known to be theirs."""
    cells = {"department": "CE", "age": "58", "performance_rating": "4", "remaining_sick_leaves": "10"}
    made = call({"total": 1, "records": [{**cells, "pay": 91300, "mean": 2.25}]}, "58")
    shown = {**made.inputs, NOTES: {"records": [quoted]}}
    digits = set()
    for task in (TASK, TASK.model_copy(update={"id": "t2"}), TASK.model_copy(update={"id": "t3"})):
        found = twin(company[0], Call(shown, made.outputs), task)
        data = json.loads(found["trajectory"][0]["observation"])
        assert data["total"] == 1
        assert "Now: Saturday 2022-12-31 18:00." in found["context"], "the clock is nobody's"
        (record,) = data["records"]
        assert found["arguments"]["answer"] == record["age"], "what was copied can still be seen"
        digits.add(tuple(str(record[name]) for name in (*cells, "pay", "mean")))
    assert len(digits) == 3
    assert not any({"58", "91300", "2.25"} & set(values) for values in digits)


@pytest.mark.parametrize("records", [["conversations/CV-00017"], ["employees/emp_0042#private"]])
def test_days_and_times_stay_days_and_times(company: tuple[Environment, Planted], records: list[str]) -> None:
    mail = {"total": 1, "records": [{"email_id": "EM-1", "date": "2022-11-02T23:59:58", "body": "At 09:45."}]}
    made = call(mail, "2022-11-02")
    shown = twin(company[0], made._replace(inputs={**made.inputs, NOTES: {"records": records}}))
    record = json.loads(shown["trajectory"][0]["observation"])["records"][0]
    datetime.fromisoformat(record["date"])
    datetime.strptime(record["body"].split()[-1], "%H:%M.")
    assert "23:59" not in record["date"]
    assert "Now: Saturday 2022-12-31 18:00." in shown["context"]


def test_what_results_are_keyed_by_is_replaced_and_their_handles_stay(
    company: tuple[Environment, Planted],
) -> None:
    env, _ = company
    counts = {"handle": "#2", "size": 2, "all": {"005wK0000001IPgQAM": 1, "005wK0000001IPPQA2": 3}}
    shown = json.dumps(twin(env, call(counts, "005wK0000001IPPQA2", agents="#2")))

    assert "005wk" not in shown.lower()
    assert shown.count("#2") == 2
    assert all(name in shown for name in ("handle", "size", "all"))
    regions = {"handle": "#7", "size": 2, "all": {"CA": 12.5, "TX": 3}}
    left = json.dumps(twin(env, call(regions, "CA")))
    assert not re.search(r"\b(CA|TX)\b", left)


def test_fields_of_records_keep_their_names(company: tuple[Environment, Planted]) -> None:
    env, _ = company
    rows = {
        "handle": "#1",
        "size": 1,
        "first": [{"OwnerId": "005wK0000001IPgQAM", "Kept__c": "x", "total": 4}],
    }
    shown = json.dumps(twin(env, call(rows, "x")))

    assert all(name in shown for name in ("OwnerId", "Kept__c", "total"))


@pytest.mark.parametrize("number", ["7", "42", "1025", "ISS-0011"])
def test_a_denied_demonstration_names_nothing_that_there_is(
    company: tuple[Environment, Planted], number: str
) -> None:
    """That a call was denied tells that there is what it names, even to who was denied."""
    task = Task(
        id="t2",
        query=f"Change ticket {number} to medium priority.",
        domains=("it_service_management",),
        slots={"ticket": number, "priority": "medium"},
    )
    denial = "Access denied (tickets.update). No rule lets you update this record of tickets."
    step = {
        "thought": f"I change ticket {number}.",
        "tool": "it_service_management.update_issue",
        "arguments": {"ticket_id": number, "priority": "medium"},
        "observation": denial,
    }
    answer = {"status": "denied", "answer": f"I may not change ticket {number}."}
    inputs = {"context": "Now: Saturday 2022-12-31 18:00.", "task": task.query, "trajectory": [step]}
    made = Call({**inputs, NOTES: {"records": [DENIED]}}, {"tool": "finish", "arguments": answer})

    shown = twin(company[0], made, task)

    context = str(shown.pop("context"))
    assert number not in json.dumps(shown), shown
    assert number not in context.replace("2022-12-31 18:00", "")
    assert shown["trajectory"][0]["observation"] == denial
    assert shown["trajectory"][0]["arguments"]["ticket_id"] in shown["task"]
    assert shown["arguments"]["status"] == "denied"
