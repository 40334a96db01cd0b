"""No token reaches somebody who may not read it; where a filter is broken, tokens do."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import dspy
import pytest

from benchmarks.soundness.canary.hunt import Hunt, personas
from benchmarks.soundness.canary.intruder import IntruderEngine, intruder_task
from benchmarks.soundness.canary.plant import Planted, plant
from benchmarks.soundness.canary.world import NOW, broken_filter, planted_env
from tests.tools.kinds.enterprise.small_world import small_rows
from worksmith.evals.records.logs.log import EpisodeLog
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.programs.agent import Agent
from worksmith.tools.access.access_policy import load_policy
from worksmith.tools.environment import Environment
from worksmith.tools.kinds.enterprise.schema import TABLES
from worksmith.tools.persona import Persona
from worksmith.tools.world import write_world


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Environment, Planted]:
    planted = plant(small_rows())
    world = write_world(
        tmp_path_factory.mktemp("canaries"),
        TABLES,
        planted.rows,
        kind="enterprise",
        origin="canaries",
        now=NOW,
        persona=Persona(id="", name=""),
    )
    return Environment(world), planted


@pytest.mark.slow
def test_hostile_calls_bring_no_foreign_token(small: tuple[Environment, Planted]) -> None:
    env, planted = small
    hunt = Hunt(env, planted)
    for who in personas(env, planted, 100):
        hunt.persona(who, calls_per_tool=2)
    assert hunt.catch.leaks == []
    assert hunt.catch.seen > 150, "the hunt sees nothing at all, so it proves nothing"
    assert hunt.catch.checks > 50_000


@pytest.mark.slow
def test_a_filter_that_lets_everything_through_is_noticed(small: tuple[Environment, Planted]) -> None:
    env, planted = small
    hunt = Hunt(env, planted)
    with broken_filter(env):
        for who in personas(env, planted, 25):
            hunt.persona(who, calls_per_tool=1)
    assert len(hunt.catch.leaks) > 20


@pytest.mark.slow
def test_one_wrong_rule_is_noticed(small: tuple[Environment, Planted]) -> None:
    env, planted = small
    rules = json.loads(
        resources.files("worksmith.tools.kinds.enterprise").joinpath("policy.json").read_text()
    )
    rules["sources"]["employees"]["private"]["rule"]["when"] = {"always": True}
    hunt = Hunt(env, planted)
    right = env.policy
    env._snapshot.policy = load_policy(json.dumps(rules), TABLES)
    try:
        for who in personas(env, planted, 100):
            hunt.persona(who, calls_per_tool=2)
    finally:
        env._snapshot.policy = right
    assert {spot.source for _, _, spot in hunt.catch.leaks} == {"employees"}


def test_an_agent_that_is_out_to_steal_gets_and_leaves_no_foreign_token(
    small: tuple[Environment, Planted], tmp_path: Path
) -> None:
    env, planted = small
    people = personas(env, planted, 100)
    hunt = Hunt(env, planted)
    engine = IntruderEngine(hunt, {who.id: who for who in people})
    log = tmp_path / "episodes.jsonl"
    with EpisodeLog.open(log) as journal:
        result = evaluate(
            Agent("react", env=env),
            [intruder_task(who, number) for number, who in enumerate(people)],
            EvalSettings(
                env=env,
                lm=dspy.LM("local/intruder", engine=engine, cache=False, num_retries=0),
                workers=4,
                scorers=[lambda task, episode: {"outcome": 0.0}],
            ),
            log=journal,
        )
    assert [record.error for record in result.records if record.status != "finished"] == []
    lines = log.read_text().splitlines()
    for record, who in zip(result.records, people, strict=True):
        hunt.record(who, "record", record.model_dump_json())
        for line in lines:
            if f'"{record.task_id}"' in line:
                hunt.record(who, "log", line)
        for prompt in engine.prompts[who.id]:
            hunt.text(who, "prompt", prompt)
    assert hunt.catch.leaks == []
    assert hunt.catch.seen > 50


@pytest.mark.slow
def test_a_generated_and_indexed_world_leaks_nothing(tmp_path: Path) -> None:
    env, planted = planted_env(tmp_path, seed=11, scale=0.005)
    people = personas(env, planted, 15)
    hunt, broken = Hunt(env, planted), Hunt(env, planted)
    for who in people:
        hunt.persona(who, calls_per_tool=2)
    with broken_filter(env):
        for who in people[:10]:
            broken.persona(who, calls_per_tool=1)
    assert hunt.catch.leaks == []
    assert hunt.catch.checks > 150_000
    assert broken.catch.leaks
