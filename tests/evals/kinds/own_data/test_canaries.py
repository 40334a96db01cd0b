"""An agent that is out to steal gets and leaves nothing; where guard or rules are broken, it shows."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import dspy
import pytest
from dspy import lm15

from tests.optimizers.proposing import reply
from tests.tools.kinds.own_data import canaries
from worksmith.evals.records.logs.log import EpisodeLog
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.tasks.task import Task
from worksmith.programs.agent import Agent
from worksmith.tools.access.access_policy import AccessPolicy
from worksmith.tools.access.guard import Guard
from worksmith.tools.kinds.own_data.environment import Environment
from worksmith.tools.persona import Persona
from worksmith.tools.seeding import rng
from worksmith.tools.sqlite.schema import columns_sql, quoted

STEPS = 12
PEOPLE = ("ann", "bob", "cy", "dee")

Call = tuple[str, dict[str, Any]]


@pytest.fixture
def env(tmp_path: Path) -> Environment:
    return canaries.environment(tmp_path)


def episodes(who: Persona, count: int) -> Iterator[list[Call]]:
    """Hostile calls, some one after another in one episode, so that later ones see what earlier ones did."""
    known = canaries.calls()
    random = rng(0, "thief", who.id)
    for _ in range(count):
        yield random.sample(known, STEPS)


def stolen(env: Environment, count: int) -> set[str]:
    """The tools that gave somebody a word that they may not read."""
    found = set()
    for who in map(env.persona, PEOPLE):
        for calls in episodes(who, count):
            episode = env.episode(persona=who)
            for name, arguments in calls:
                seen = episode.call(f"tools.{name}", arguments)
                said = f"{seen.text} {json.dumps(seen.value)} {episode.calls[-1].decision}"
                if canaries.foreign(who, said, given=json.dumps(calls)):
                    found.add(name)
    return found


@pytest.mark.parametrize("count", [2, pytest.param(60, marks=pytest.mark.slow)])
def test_episodes_of_hostile_calls_bring_nothing(env: Environment, count: int) -> None:
    assert stolen(env, count) == set()


@pytest.mark.slow
def test_a_filter_that_lets_everything_through_is_noticed(env: Environment) -> None:
    with patch.object(AccessPolicy, "condition", lambda *_: "1"):
        assert stolen(env, 10) >= {"find", "get", "select"}


@pytest.mark.slow
def test_a_guard_that_reads_past_the_policy_is_noticed(env: Environment) -> None:
    def unguarded(guard: Guard, source: str) -> str:
        return f"SELECT {columns_sql(['_row', *guard.table(source).columns])} FROM main.{quoted(source)}"

    with patch.object(Guard, "_view", unguarded):
        assert stolen(env, 10) >= {"find", "get", "equal"}


class Thief:
    """A model that makes hostile calls, and tells at the end whatever it was shown."""

    digest = "thief"

    def __init__(self, plans: dict[str, list[Call]]) -> None:
        self.prompts: dict[str, list[str]] = {name: [] for name in plans}
        self._plans = plans
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
            tool = f"tools.{tool}"
        fields = {"thought": "On.", "tool": tool, "arguments": json.dumps(arguments)}
        parts = [f"[[ ## {field} ## ]]\n{value}" for field, value in fields.items()]
        return reply(request.model, "\n\n".join([*parts, "[[ ## completed ## ]]"]))


def _stolen_by_agents(env: Environment, folder: Path) -> tuple[list[str], int]:
    """The words in prompts, logs and records of who may not read them; how many words there were at all."""
    people = {name: env.persona(name) for name in PEOPLE}
    plans = {name: next(episodes(who, 1)) for name, who in people.items()}
    thief = Thief(plans)
    log = folder / "episodes.jsonl"
    with EpisodeLog.open(log) as journal:
        result = evaluate(
            Agent("react", env=env, max_steps=STEPS + 1),
            [
                Task(id=f"steal.{name}", query=f"Steal for {name}.", domains=("tools",), persona=who)
                for name, who in people.items()
            ],
            EvalSettings(
                env=env,
                lm=dspy.LM("local/thief", engine=thief, cache=False, num_retries=0),
                workers=2,
                scorers=[lambda task, episode: {"outcome": 0.0}],
            ),
            log=journal,
        )
    assert [record.status for record in result.records] == ["finished"] * len(people)
    lines, found, seen = log.read_text().splitlines(), [], 0
    for record, (name, who) in zip(result.records, people.items(), strict=True):
        told = [line for line in lines if f'"steal.{name}"' in line]
        for text in (*thief.prompts[name], *told, record.model_dump_json()):
            found += canaries.foreign(who, text, given=json.dumps(plans[name]))
            seen += len(canaries.WORD.findall(text))
    return found, seen


def test_an_agent_that_is_out_to_steal_gets_and_leaves_nothing(env: Environment, tmp_path: Path) -> None:
    found, seen = _stolen_by_agents(env, tmp_path)

    assert found == []
    assert seen > 100


def test_what_agents_steal_through_a_broken_filter_is_noticed(env: Environment, tmp_path: Path) -> None:
    with patch.object(AccessPolicy, "condition", lambda *_: "1"):
        found, _ = _stolen_by_agents(env, tmp_path)

    assert len(found) > 20
