"""Twins show how a task was done, and nothing of whose records it was done on."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.soundness.canary.hunt import Hunt, personas
from benchmarks.soundness.canary.intruder import IntruderEngine, intruder_task
from benchmarks.soundness.canary.plant import TOKEN, Planted, plant
from benchmarks.soundness.canary.world import NOW
from tests.tables import each_row
from tests.tools.kinds.enterprise.small_world import small_rows
from worksmith.evals.dspy_programs.demo_format import NOTES
from worksmith.evals.dspy_programs.nearest import NearestSettings, show_nearest
from worksmith.evals.tasks.task import Answer, Entity, Step, Task
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
    query="Tell Meera Pillai which day was settled on for the Amber Heron launch, budget 450000.",
    domains=("conversations",),
    slots={"person": "Meera Pillai", "project": "Amber Heron", "budget": "450000"},
    gold_plan=(
        Step(
            tool="conversations.read", arguments={"with_employee": "Meera Pillai", "limit": 3}, why="I look."
        ),
        Step(
            tool="conversations.update",
            arguments={"conversation_id": "CV-00017", "text": "Amber Heron: 2022-12-09"},
            why="I tell Meera.",
        ),
    ),
    answer=Answer(kind="entities", required=(Entity(type="date", value="2022-12-09"),)),
)
CONTEXT = "Now: Saturday 2022-12-31 18:00. Working for: Ravi Sen (emp_0042, Sales, level 9)."


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> tuple[Environment, Planted]:
    planted = plant(small_rows())
    nobody = Persona(id="", name="")
    folder = tmp_path_factory.mktemp("twins")
    world = write_world(
        folder, TABLES, planted.rows, kind="enterprise", origin="canaries", now=NOW, persona=nobody
    )
    return Environment(world), planted


def made_by(
    observation: str = "", thought: str = "", *, context: str = CONTEXT, calls: int = 2, task: Task = TASK
) -> Call:
    """The last call of an agent that did a task, after so many calls."""
    step = {"thought": thought, "observation": observation}
    steps = [{**step, "tool": each.tool, "arguments": each.arguments} for each in task.gold_plan or ()][
        :calls
    ]
    inputs = {
        "context": context,
        "task": task.query,
        "trajectory": steps,
        NOTES: {"records": ["conversations/CV-00017"]},
    }
    end = {"status": "answered", "answer": observation}
    return Call(inputs, {"thought": thought, "tool": "finish", "arguments": end})


def twin(env: Environment, made: Call, task: Task = TASK) -> dict[str, Any]:
    found: dict[str, Any] = with_twins({"predict": made}, task, env)["predict"].inputs[NOTES]["redacted"]
    return found


cells = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
results = st.recursive(
    cells, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner), max_leaves=9
)


@given(
    result=results,
    plain=st.booleans(),
    thought=st.text(max_size=20),
    calls=st.integers(0, 2),
    name=st.text(max_size=9),
)
def test_nothing_that_an_episode_read_changes_a_byte(
    company: tuple[Environment, Planted], result: Any, plain: bool, thought: str, calls: int, name: str
) -> None:
    """Neither values, keys, types, lengths and numbers of rows nor what a model made of them."""
    seen = str(result) if plain else json.dumps(result)
    context = f"{CONTEXT.partition('Ravi')[0]}{name}."
    made = made_by(seen, thought, context=context, calls=calls)
    assert json.dumps(twin(company[0], made)) == json.dumps(twin(company[0], made_by()))


def test_a_plan_that_was_made_anew_is_shown_as_the_first_one(company: tuple[Environment, Planted]) -> None:
    """Whether a step failed, so that there is progress to plan from, depends on records."""

    def planned(progress: str) -> dict[str, Any]:
        inputs = {
            "context": CONTEXT,
            "task": TASK.query,
            "progress": progress,
            NOTES: {"records": ["mail/1"]},
        }
        calls = {"planner": Call(inputs, {"plan": f"What is left after {progress}"}), "selector": made_by()}
        found: dict[str, Any] = with_twins(calls, TASK, company[0])["planner"].inputs[NOTES]["redacted"]
        return found

    assert planned("1. conversations.read: there is no Meera") == planned("")


def test_what_was_copied_from_where_can_still_be_seen(company: tuple[Environment, Planted]) -> None:
    made = twin(company[0], made_by())
    first, second = made["trajectory"]
    (row,) = json.loads(first["observation"])["records"]
    assert first["arguments"]["with_employee"] in made["task"]
    assert second["arguments"]["conversation_id"] == row["conversation_id"]
    assert made["arguments"]["answer"] in second["arguments"]["text"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", made["arguments"]["answer"])
    assert json.loads(second["observation"])["text"] == second["arguments"]["text"]


def test_no_value_of_the_task_is_left(company: tuple[Environment, Planted]) -> None:
    made = json.dumps(twin(company[0], made_by())).lower()
    for secret in ("meera", "pillai", "amber", "heron", "00017", "2022-12-09", "450000", "ravi", "emp_0042"):
        assert secret not in made, secret


def test_what_is_public_stays(company: tuple[Environment, Planted]) -> None:
    made = twin(company[0], made_by())
    assert made["task"].startswith("Tell ")
    assert " which day was settled on for the " in made["task"]
    assert [step["tool"] for step in made["trajectory"]] == ["conversations.read", "conversations.update"]
    assert made["trajectory"][0]["thought"] == "I look."
    assert made["arguments"]["status"] == "answered"
    assert made["context"].startswith("Now: Saturday 2022-12-31 18:00. Working for: ")


def test_what_every_task_of_an_intent_is_told_stays(company: tuple[Environment, Planted]) -> None:
    told = "A launch of Amber projects is settled by 2022-12-09 in at most 450000 steps."
    task = TASK.model_copy(update={"context": told})
    shown = twin(company[0], made_by(context=f"{CONTEXT}\n\n{told}"), task)
    assert shown["context"].endswith(f"\n\n{told}")
    assert "Amber" not in json.dumps({**shown, "context": ""})


def test_another_task_has_other_values(company: tuple[Environment, Planted]) -> None:
    other = TASK.model_copy(update={"id": "t2"})
    assert twin(company[0], made_by())["task"] != twin(company[0], made_by(), other)["task"]


@pytest.mark.parametrize(
    ("task", "made"),
    [
        (TASK.model_copy(update={"slots": {}}), made_by()),
        (TASK.model_copy(update={"gold_plan": None}), made_by()),
        (TASK, Call(made_by().inputs | {"history": "of a component of a user's own"}, made_by().outputs)),
        (TASK, made_by(context="Asked by Ravi Sen of Sales.")),
    ],
    ids=["without slots", "without a plan", "with a field of another", "with a context of another"],
)
def test_what_no_author_wrote_is_not_made_up(
    company: tuple[Environment, Planted], task: Task, made: Call
) -> None:
    assert "redacted" not in with_twins({"predict": made}, task, company[0])["predict"].inputs[NOTES]


@each_row(
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
    plan = (Step(tool="conversations.read", arguments={"with_employee": unicodedata.normalize("NFD", name)}),)
    task = TASK.model_copy(update={"query": query, "slots": {"person": name}, "gold_plan": plan})
    made = twin(company[0], made_by(task=task), task)

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
    plan = (Step(tool="conversations.read", arguments={"with_employee": who.id}),)
    update = {"id": f"theft.{who.id}", "slots": {"who": who.id}, "gold_plan": plan}
    task = intruder_task(who, 0).model_copy(update=update)
    with dspy.context(lm=_lm(IntruderEngine(hunt, {who.id: who})), trace=[]):
        agent(task=task)
        calls = with_twins(example_calls(agent, dspy.settings.trace, 0, task.id), task, env)
    fields = calls["selector.predict"].fields
    assert not re.search(TOKEN, json.dumps(fields[NOTES]["redacted"]))
    return dspy.Example(augmented=True, **fields)


def _lm(engine: Any) -> dspy.LM:
    return dspy.LM("local/intruder", engine=engine, cache=False, num_retries=0)


@pytest.mark.parametrize("number", ["7", "42", "1025", "ISS-0011"])
def test_a_denied_demonstration_names_nothing_that_there_is(
    company: tuple[Environment, Planted], number: str
) -> None:
    """That a call was denied tells that there is what it names, even to who was denied."""
    arguments = {"ticket_id": number, "priority": "medium"}
    task = Task(
        id="t2",
        query=f"Change ticket {number} to medium priority.",
        domains=("it_service_management",),
        slots={"ticket": number, "priority": "medium"},
        gold_plan=(Step(tool="it_service_management.update_issue", arguments=arguments),),
        answer=Answer(kind="denial", reference=f"I may not change ticket {number}.", wording="sentence"),
    )
    made = made_by(task=task)
    made.inputs[NOTES] = {"records": [DENIED]}

    shown = twin(company[0], made, task)

    context = str(shown.pop("context"))
    assert number not in json.dumps(shown), shown
    assert number not in context.replace("2022-12-31 18:00", "")
    (step,) = shown["trajectory"]
    assert step["observation"].startswith("Access denied (tickets.update).")
    assert step["arguments"]["ticket_id"] in shown["task"]
    assert shown["arguments"]["status"] == "denied"
