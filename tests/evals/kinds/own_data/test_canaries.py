"""No token of own tables reaches a persona who may not read it; where guard or rules are broken, some do."""

from __future__ import annotations

import copy
import json
import threading
from pathlib import Path
from typing import Any
from unittest.mock import patch

import dspy
import pytest
from dspy import lm15

from evals.records.log import EpisodeLog
from evals.running.runner import evaluate
from evals.running.settings import EvalSettings
from evals.tasks.task import Task
from programs.agent import Agent
from tests.evals.kinds.own_data.vault import PEOPLE, POLICY, TOKEN, Catch, Tables, hostile_calls, hunt, vault
from tools.access.engine import AccessPolicy
from tools.access.guard import Guard
from tools.kinds.own_data.environment import Environment
from tools.policy import DENIED
from tools.sqlite.schema import columns_sql, quoted

STEPS = 12


@pytest.fixture(scope="module")
def tables() -> Tables:
    return Tables()


@pytest.fixture
def env(tables: Tables, tmp_path: Path) -> Environment:
    return vault(tmp_path, tables)


def test_hostile_calls_bring_no_foreign_token(env: Environment, tables: Tables) -> None:
    catch = hunt(env, tables, calls=90)

    assert catch.leaks == []
    assert catch.seen > 500, "the hunt sees nothing, so it proves nothing"


@pytest.mark.slow
def test_many_hostile_calls_bring_no_foreign_token(env: Environment, tables: Tables) -> None:
    catch = hunt(env, tables, calls=6_000)

    assert catch.leaks == []
    assert catch.texts > 80_000


def test_a_filter_that_lets_everything_through_is_noticed(env: Environment, tables: Tables) -> None:
    with patch.object(AccessPolicy, "condition", lambda *_: "1"):
        leaks = hunt(env, tables, calls=90).leaks

    assert {table for _, _, table, _ in leaks} >= {"tickets", "vault"}


def test_a_guard_that_reads_past_the_policy_is_noticed(env: Environment, tables: Tables) -> None:
    def unguarded(guard: Guard, source: str, what: str, conditions: Any) -> tuple[str, list[Any]]:
        columns = columns_sql(["_row", *guard.table(source).columns])
        where = " AND ".join(f"({text})" for text, _ in conditions) or "1"
        values = [value for _, given in conditions for value in given]
        return f"SELECT {what} FROM (SELECT {columns} FROM main.{quoted(source)}) WHERE {where}", values

    with patch.object(Guard, "_query", unguarded):
        leaks = hunt(env, tables, calls=90).leaks

    assert {column for _, _, _, column in leaks} >= {"pay", "secret", "content", "body"}


@pytest.mark.slow
def test_conditions_that_are_not_checked_are_noticed(env: Environment, tables: Tables) -> None:
    with patch("tools.kinds.own_data.context._check", lambda *_: None):
        leaks = hunt(env, tables, calls=270).leaks

    assert {tool for _, tool, _, _ in leaks} == {"tools.where"}


@pytest.mark.slow
@pytest.mark.parametrize(("source", "column"), [("people", "pay"), ("tickets", "secret")])
def test_one_wrong_rule_is_noticed(tables: Tables, tmp_path: Path, source: str, column: str) -> None:
    rules = copy.deepcopy(POLICY)
    rules["sources"][source]["private"]["rule"]["when"] = {"always": True}
    leaks = hunt(vault(tmp_path, tables, rules), tables, calls=90).leaks

    assert {(table, name) for _, _, table, name in leaks} == {(source, column)}


@pytest.mark.slow
def test_counts_and_ranks_tell_nothing_of_what_may_not_be_read(env: Environment, tables: Tables) -> None:
    tellings = 0
    for name, _, _ in PEOPLE:
        who = env.persona(name)
        episode = env.episode(persona=who)
        for token, (table, _, column) in tables.spots.items():
            condition = f"{column} LIKE '%{token}%'"
            counted = episode.call("tools.count", {"table": table, "sql": condition}).value
            found = episode.call("tools.search", {"table": table, "words": token}).value
            assert counted == int(tables.may_see(who, token))
            if not tables.may_see(who, token):
                assert found == []
                tellings += 1
    assert tellings > 100


@pytest.mark.slow
def test_what_a_call_has_read_its_persona_may_read(env: Environment, tables: Tables) -> None:
    """Demonstrations are shown to others by what they have read, so that has to be told in full."""
    noted = 0
    for name, _, _ in PEOPLE:
        who = env.persona(name)
        for tool, arguments in hostile_calls(tables, who, 90):
            episode = env.episode(persona=who)
            found = episode.call(tool, arguments)
            reads = {read for read in episode.calls[-1].reads if not read.endswith("/*")} - {DENIED}
            if found.status == "ok" and not env.episode().toolset[tool].writes:
                noted += len(reads)
                assert env.unreadable(who, frozenset(reads)) == frozenset()
                for token in set(TOKEN.findall(found.text)) & tables.spots.keys():
                    table, row, _ = tables.spots[token]
                    key = str(next(iter(row.values())))
                    assert tool == "tools.select" or f"{table}/{key}" in reads
    assert noted > 100


class Thief:
    """A model that makes hostile calls, and tells at the end whatever it was shown."""

    digest = "thief"

    def __init__(self, tables: Tables, people: dict[str, Any]) -> None:
        self.prompts: dict[str, list[str]] = {name: [] for name in people}
        self._plans = {name: list(hostile_calls(tables, who, STEPS, seed=1)) for name, who in people.items()}
        self._lock = threading.Lock()

    def complete(self, request: lm15.Request) -> lm15.Response:
        texts = [str(message.text or "") for message in request.messages]
        prompt = "\n".join([str(request.system or ""), *texts])
        name = prompt.rpartition("Steal for ")[2].partition(".")[0]
        with self._lock:
            self.prompts[name].append(prompt)
        made = sum(message.role == "assistant" for message in request.messages)
        tool, arguments = "finish", {"status": "answered", "answer": prompt[-3000:]}
        if made < STEPS:
            tool, arguments = self._plans[name][made]
        fields = {"thought": "On.", "tool": tool, "arguments": json.dumps(arguments)}
        parts = [f"[[ ## {field} ## ]]\n{value}" for field, value in fields.items()]
        return lm15.Response(
            id=None,
            model=request.model,
            message=lm15.Message.assistant("\n\n".join([*parts, "[[ ## completed ## ]]"])),
            finish_reason="stop",
            usage=lm15.Usage(input_tokens=0, output_tokens=0),
        )


def test_an_agent_that_is_out_to_steal_gets_and_leaves_no_foreign_token(
    env: Environment, tables: Tables, tmp_path: Path
) -> None:
    people = {name: env.persona(name) for name, _, _ in PEOPLE}
    thief, log = Thief(tables, people), tmp_path / "episodes.jsonl"
    tasks = [
        Task(id=f"steal.{name}", query=f"Steal for {name}.", domains=("tools",), persona=who)
        for name, who in people.items()
    ]
    with EpisodeLog.open(log) as journal:
        result = evaluate(
            Agent("react", env=env, max_steps=STEPS + 1),
            tasks,
            EvalSettings(
                env=env,
                lm=dspy.LM("local/thief", engine=thief, cache=False, num_retries=0),
                workers=2,
                scorers=[lambda task, episode: {"outcome": 0.0}],
            ),
            log=journal,
        )
    catch = Catch()
    lines = log.read_text().splitlines()
    for record, (name, who) in zip(result.records, people.items(), strict=True):
        given = json.dumps([arguments for _, arguments in hostile_calls(tables, who, STEPS, seed=1)])
        told = [line for line in lines if f'"steal.{name}"' in line]
        for text in (*thief.prompts[name], *told, record.model_dump_json()):
            catch.text(tables, who, "agent", text, given)

    assert [record.status for record in result.records] == ["finished"] * len(PEOPLE)
    assert catch.leaks == []
    assert catch.seen > 100
