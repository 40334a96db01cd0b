"""Requests in words: in Python, with `worksmith run`, and in a conversation."""

from __future__ import annotations

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier
from typing import Any

import dspy
import pytest
from dspy.utils import DummyLM

import worksmith as ws
from tests.tools.kinds.own_data.desk import OF_TEAM, TABLES, bare, desk, with_tools, write_policy
from tests.worksmith.commands import called
from worksmith.evals.tasks.task import VisibleTask
from worksmith.tools.change_set import ChangeSet

ENVIRONMENT = """
import worksmith as ws

people = [{"id": "6", "name": "Ada"}, {"id": "7", "name": "Bo"}]
tables = {"people": people, "stock": [{"product": "5", "units": 1}]}
env = ws.Environment.from_tables(tables, personas="people", now="2026-01-05 09:00")


@env.tool
def order(ctx: ws.Context, product: str, units: int) -> str:
    "Order units of a product."
    ctx["stock"].update(product, units=units)
    return f"{units} ordered"


@env.commit
def commit(approved):
    [change] = approved.changes
    if change.after["units"] == 0:
        raise RuntimeError("the shop is closed")
    if change.after["units"] == 9:
        return float("nan")
    with open("committed.txt", "a") as file:
        print(approved.persona.id, change.key, change.after["units"], file=file)
    return "booked"
"""
BUYER = """
import worksmith as ws


def buyer(task: ws.AgentTask) -> str:
    if task.text.startswith("Order"):
        return task.tools.call("tools.order", {"product": "5", "units": int(task.text.split()[1])})
    return task.context


def agent(env):
    return ws.OwnAgent(buyer, env)
"""
SETTINGS = """
[environment]
file = "environment.py"
tasks = "tasks.jsonl"
"""
TASK = {
    "id": "t1",
    "query": "Order 2",
    "persona": "6",
    "plan": [{"tool": "order", "arguments": {"product": "5", "units": 2}}],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("asked")
    files = {"environment.py": ENVIRONMENT, "stock_buyer.py": BUYER, "worksmith.toml": SETTINGS}
    for name, text in {**files, "tasks.jsonl": json.dumps(TASK)}.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def project(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (made / "committed.txt").unlink(missing_ok=True)
    monkeypatch.chdir(made)
    return made


def asked(*words: str, typed: str = "") -> Any:
    return called(words[0], ".", *words[1:], "--program", "stock_buyer:agent", "--lm", "own", input=typed)


def test_a_request_in_words_proposes_changes_and_commits_them_only_if_told(project: Path) -> None:
    told = json.loads(asked("run", "Order 10 units", "--as", "6", "--json").stdout)
    assert (told["answer"], told["changes"][0]["after"]) == ("10 ordered", {"units": 10})
    assert "scores" not in told
    assert not (project / "committed.txt").exists()

    shown = asked("run", "Order 10 units", "--as", "6", "--commit").stdout
    assert "committed: booked" in shown
    assert "correct" not in shown
    assert (project / "committed.txt").read_text() == "6 5 10\n"
    odd = asked("run", "Order 9 units", "--as", "6", "--commit", "--json").stdout
    assert json.loads(odd, parse_constant=pytest.fail)["committed"] is None


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("Order 10 units", "--as", "8"), "no persona '8'"),
        (("t1", "--as", "6"), "the task has a persona"),
        (("t2",), "no task 't2'"),
        (("t1", "--commit"), "the changes of a suite's task are a test"),
        (("t1", "--commit", "--dry-run"), "the changes of a suite's task are a test"),
        (("Order 1 unit", "--as", "6", "--log", "a.jsonl"), "nothing scores a request in words"),
        (("Order 1 \udcff", "--as", "6"), "half of a character"),
        (("Order 0 units", "--as", "6", "--commit"), "the commit failed: RuntimeError: the shop is closed"),
    ],
)
def test_a_request_that_cannot_be_is_refused(project: Path, words: tuple[str, ...], why: str) -> None:
    with pytest.raises(ws.WorksmithError, match=re.escape(why)):
        asked("run", *words)
    assert not (project / "a.jsonl").exists()


def test_a_conversation_keeps_what_was_said_and_asks_before_it_commits(project: Path) -> None:
    done = asked(
        "chat", "--as", "7", "--commit", typed="Order 0\ny\nOrder 3 units\nn\n\nOrder 4 units\ny\nAnd now?\n"
    )

    assert done.exit_code == 0, done.output
    assert (project / "committed.txt").read_text() == "7 5 4\n"
    for said in (
        "You: 0 ordered (changes proposed, not made)\nThe commit of the changes failed.\nUser: Order 3",
        "allowed",
        "proposed: ~ stock 5 units: 1 → 3",
        "User: Order 3 units\nYou: 3 ordered (changes proposed, not made)\nUser: Order 4 units",
        "The changes were made.",
    ):
        assert said in done.stdout
    assert (
        asked("chat", "--as", "7", "--dry-run").stdout
        == asked("run", "Order 1 unit", "--as", "7", "--dry-run").stdout
    )
    told = asked("chat", "--as", "7", "--json", "--commit", typed="Order 3 units\ny\n").stdout.splitlines()
    assert [*map(json.loads, told)][1] == {"committed": "booked"}
    assert "scores" not in json.loads(told[0])
    echoed = asked("chat", "--as", "7", typed="one\ntwo\nthree\n").stdout
    assert echoed.count("\nUser: one\n") == 2
    assert echoed.count("\n  User: one\n") == 1


def test_changes_are_committed_once_and_only_as_they_were_proposed(tmp_path: Path) -> None:
    env, sets = desk(tmp_path, OF_TEAM), list[ChangeSet]()

    refusals = [ws.ToolError("not today")]

    @env.commit
    def commit(approved: ChangeSet) -> int:
        if refusals:
            raise refusals.pop()
        sets.append(approved)
        return len(sets)

    agent = ws.Agent("act", env)
    steps = [
        {"tool": "tools.close_ticket", "arguments": '{"ticket_id": "T-1"}'},
        {"tool": "finish", "arguments": "{}"},
    ]
    with dspy.context(lm=DummyLM(steps)):
        done = asyncio.run(agent.acall(task="Close T-1", persona="ann"))
    [change] = done.changes
    assert (change.table, change.key, change.operation) == ("tickets", "T-1", "update")
    with pytest.raises(ws.InputError, match="bo may not read all that would change"):
        done.changes.commit(approved_by="bo")
    with pytest.raises(ws.ToolError, match="not today"):
        done.changes.commit()
    assert done.changes.commit(approved_by="ann") == 1
    assert (sets[0].task, sets[0].persona.id, sets[0].approved_by.id) == ("Close T-1", "ann", "ann")
    with pytest.raises(ws.InputError, match="were committed"):
        done.changes.commit()
    with dspy.context(lm=DummyLM(steps)):
        denied = agent(task="Close it", persona="bo")
    with pytest.raises(ws.InputError, match="nothing to commit"):
        denied.changes.commit()
    assert len(sets) == 1


def test_a_persona_that_no_table_has_commits_as_itself() -> None:
    env, sets = ws.Environment.from_tables({"stock": [{"product": "5"}]}, now="2026-01-05"), list[ChangeSet]()
    env.tool(take_one)
    env.commit(sets.append)
    task = VisibleTask(id="x", query="One", domains=("tools",), persona=ws.Persona(id="me", name="Mia"))
    ws.OwnAgent(lambda task: task.tools.call("tools.take_one", {}), env)(task=task).changes.commit()
    assert [each.approved_by.name for each in sets] == ["Mia"]


def take_one(ctx: ws.Context) -> None:
    """Take one."""
    ctx["stock"].insert({"product": "6"})


def test_changes_are_committed_under_the_rights_of_now(tmp_path: Path) -> None:
    staff: list[dict[str, Any]] = [{**person, "team": "red"} for person in TABLES["people"]]
    env = with_tools(bare(tmp_path, {**TABLES, "people": ws.Table(lambda: staff)}))  # type: ignore[dict-item]
    env.use_policy(write_policy(tmp_path, OF_TEAM))
    env.commit(lambda approved: pytest.fail("nothing may be committed"))
    agent = ws.OwnAgent(lambda task: task.tools.call("tools.close_ticket", {"ticket_id": "T-1"}), env)
    changes = agent(task="Close T-1", persona="ann").changes
    for place, refusal in ((1, "bo may not read all"), (0, "the task would change something else now")):
        staff[place]["team"] = "blue"
        with pytest.raises(ws.InputError, match=refusal):
            changes.commit(approved_by=staff[1]["id"])


def test_a_request_sees_the_rows_of_now_and_commits_over_none_that_changed_since() -> None:
    rows, sets = [{"product": "5", "units": 1}], list[ChangeSet]()
    tables = {"people": [{"id": "6"}, {"id": "7"}], "stock": ws.Table(lambda: rows)}
    env = ws.Environment.from_tables(tables, personas="people", now="2026-01-05 09:00")

    @env.tool
    def order(ctx: ws.Context, more: int) -> str:
        """Order more units."""
        ctx["stock"].update("5", units=ctx["stock"].get("5")["units"] + more)
        return "Done."

    env.commit(sets.append)
    agent = ws.OwnAgent(lambda task: task.tools.call("tools.order", {"more": int(task.text)}), env)
    for had in (1, 7):
        rows[0] = {"product": "5", "units": had}
        changes = agent(task="10", persona="6").changes
        assert [change.after for change in changes] == [{"product": "5", "units": had + 10}]
    rows[0] = {"product": "5", "units": 8}
    with pytest.raises(ws.InputError, match="changed since: stock/5"):
        changes.commit()
    assert sets == []
    changes, together, made = agent(task="10", persona="6").changes, Barrier(2), list[Any]()

    def commit() -> None:
        together.wait()
        with suppress(ws.InputError):
            made.append(changes.commit(approved_by="7"))

    with ThreadPoolExecutor(2) as pool:
        for _ in range(2):
            pool.submit(commit)
    assert [len(made), [each.approved_by.id for each in sets]] == [1, ["7"]]
