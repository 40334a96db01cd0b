"""Tasks with a user: from the file to the record, and nothing of the user in what a model sees."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import dspy
import pytest

import worksmith as ws
from examples.partial.orders import env as guarded
from tests.tables import each_row
from worksmith.evals.authoring.checking.check import repeated, task_findings
from worksmith.evals.task_kind import scorers_for
from worksmith.evals.tasks.repeats import request
from worksmith.evals.tasks.task import Task
from worksmith.optimizers.demos.trace_bank import apart_from
from worksmith.programs.own_agents.sessions import Sessions
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.tools.errors import InputError
from worksmith.tools.user import User

USER: dict[str, Any] = {
    "wants": "I want to cancel my desk.",
    "facts": {"name": "Yara", "reason": "bought twice"},
    "confirms": [["cancel", "W-1001", "reason"]],
}
WHO = {"tool": "ask_user", "arguments": {"message": "What is your name, and your reason?"}}
FIND = {"tool": "find", "arguments": {"customer": "Yara"}}
MAY_I = {"tool": "ask_user", "arguments": {"message": "Cancel W-1001, bought twice: yes or no?"}}
CANCEL = {"tool": "cancel", "arguments": {"order": "W-1001", "reason": "bought twice"}}
END = {"tool": "ask_user", "arguments": {"message": "Done. Anything else?"}}
PLAN = [WHO, FIND, MAY_I, CANCEL, END]


def shop(folder: Path) -> ws.Environment:
    orders = [{"id": f"W-100{n}", "customer": who, "reason": ""} for n, who in ((1, "Yara"), (2, "Mei"))]
    env = ws.Environment.from_tables({"orders": orders}, now="2026-01-05 09:00", folder=folder)

    @env.tool(writes=False)
    def find(ctx: ws.Context, customer: str) -> list[dict[str, Any]]:
        """The orders of a customer."""
        return ctx["orders"].find(customer=customer)

    @env.tool
    def cancel(ctx: ws.Context, order: str, reason: str) -> str:
        """Cancel an order of the user."""
        assert ctx.user is not None
        ctx["orders"].update(order, reason=reason)
        return f"{len(ctx.calls)} calls before, for {ctx.user.facts['name'][0]}"

    env.use_procedure(
        [{"tool": "cancel", "needs": "ask_user", "reply": "yes", "each": True, "named": ["order"]}]
    )
    return env


def line(**more: Any) -> dict[str, Any]:
    return {"id": "t1", "query": "Serve the customer.", "user": USER, "plan": PLAN, "split": "test", **more}


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> ws.Environment:
    return shop(tmp_path_factory.mktemp("shop"))


def test_a_task_of_a_file_is_done_by_a_conversation(env: ws.Environment, tmp_path: Path) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_text(json.dumps(line()), encoding="utf-8")
    suite = ws.Suite(env, file)
    (record,) = ws.evaluate(ws.Agent("act", env), suite.test, lm="gold", progress=False).records
    said = [call.observation for call in record.calls if call.tool == "user.ask_user"]

    assert said == [
        "My name is Yara. My reason is bought twice.",
        "Yes.",
        "No, that is all. Thank you and goodbye.",
    ]
    assert record.calls[3].observation == "3 calls before, for Yara"
    assert (record.scores["outcome"], record.scores["procedure"]) == (1, 1)
    assert list(task_findings(env, scorers_for(env), suite.tasks[0])) == []


def test_however_a_program_gets_the_task_its_user_answers(env: ws.Environment) -> None:
    suite = ws.Suite(env, [line(), line(id="t2", query="Serve nobody.", user=None, plan=[], changes={})])
    with dspy.context(lm=scripted_lm(GoldEngine(suite.tasks))):
        for given in (suite.tasks[0], suite.test[0].task, pickle.loads(pickle.dumps(suite.test[0].task))):
            calls = ws.Agent("act", env)(task=given).episode.calls
            assert [call.observation.status for call in calls] == ["ok"] * len(PLAN)
    tools = Sessions(suite, name="mine").open("t1").task.tools
    assert tools.call("user.ask_user", {"message": "Your name?"}) == "My name is Yara."
    assert "user.ask_user" not in env.episode(user=suite.task("t2").user).toolset


def test_nothing_shows_the_user_but_the_whole_task(env: ws.Environment) -> None:
    suite = ws.Suite(env, [line()])
    (task,), (example,) = suite.tasks, suite.test
    for shown in (repr(example), str(example.task), example.task.model_dump_json(), str(example.toDict())):
        assert "Yara" not in shown
    assert Task.model_validate_json(task.model_dump_json()).user == task.user


def test_a_task_with_another_user_is_another_task(env: ws.Environment) -> None:
    other = {**USER, "facts": {**USER["facts"], "name": "Mei"}}
    same = line(id="t2", split="train")
    tasks = ws.Suite(env, [line(), line(id="t3", user=other, split="train"), same]).tasks

    assert len({task.digest for task in tasks[:2]}) == len({request(task) for task in tasks}) == 2
    assert apart_from(tasks[1:], tasks[:1]) == [tasks[1]]
    assert [(each.level, each.task, each.said.partition(":")[0]) for each in repeated(tasks)] == [
        ("note", "t3", "the same text as t1, with another user"),
        ("wrong", "t2", "the same request as t1, of the split test"),
    ]


@each_row(
    ("plan", "level", "part", "said"),
    [
        ([FIND, *PLAN[2:]], "note", "plan.0", "only records that it has not read have the value 'Yara'"),
        ([FIND, *PLAN[2:]], "wrong", "plan.2", "nothing gives the value 'bought twice'"),
        (PLAN[:-1], "note", "plan", "the conversation does not end: the user's last words are 'Yes.'"),
        ([FIND], "note", "plan", "the conversation does not end: no step calls user.ask_user"),
        ([WHO, FIND, CANCEL, END], "wrong", "plan", "call 3 breaks the procedure"),
    ],
)
def test_a_plan_knows_its_values_by_the_user(
    env: ws.Environment, plan: list[Any], level: str, part: str, said: str
) -> None:
    (task,) = ws.Suite(env, [line(plan=plan, changes={})]).tasks
    findings = list(task_findings(env, scorers_for(env), task))
    assert [(each.level, each.part) for each in findings if said in each.said] == [(level, part)], findings


@each_row(
    ("fields", "said"),
    [
        ({"user": None}, "no tool 'ask_user'"),
        ({"user": {}}, "it is missing"),
        ({"user": {"wants": " "}}, "at least 1 character"),
        ({"user": {**USER, "fact": {}}}, "no field 'fact'"),
        ({"user": {**USER, "confirms": [[]]}}, "at least 1 item"),
        ({"user": {**USER, "facts": {"age": {"years": 7}}}}, "valid string"),
    ],
)
def test_a_wrong_user_is_refused(env: ws.Environment, fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ws.Suite(env, [line(**fields)])


def test_no_rule_forbids_to_ask_and_nobody_else_reads_the_reply() -> None:
    episode = guarded.episode(persona="nora", user=User(wants="My secret."))
    assert episode.call("user.ask_user", {"message": "Hello?"}).text == "My secret."
    (call,) = episode.calls
    assert guarded.unreadable(guarded.persona("ada"), frozenset(call.reads))


def test_no_tool_takes_the_name_of_the_users(tmp_path: Path) -> None:
    def ask_user(ctx: ws.Context, message: str) -> str:
        """Ask."""
        return message

    env = ws.Environment.from_tables({"orders": [{"id": "1"}]}, now="2026-01-05", folder=tmp_path)
    with pytest.raises(InputError, match=r"there is a tool user\.ask_user already"):
        env.tool(toolkit="user")(ask_user)
    env.tool(writes=False)(ask_user)
    env.use_procedure([{"tool": "ask_user", "at_most": 1}])
    assert str(env.kind.procedure[0]) == "tools.ask_user at most 1 time"
