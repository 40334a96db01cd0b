"""A model of its own for the planner: who is asked what, and what counts as whose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dspy
import pytest

from tests.programs.office import TASKS, Script, call, finish, lm_of, reply, run_agent, texts
from worksmith.evals.lm.prices import Prices, per_million, use_prices
from worksmith.evals.records.models_asked import calls_by_model, usage_by_model
from worksmith.evals.reporting.tables.costs import dollars_an_episode
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.optimizers.cost.spending import Spent
from worksmith.programs.agent import Agent
from worksmith.programs.parts.signatures import BRIEF_PLAN
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError

PLAN = "1. Find the meeting. (calendar.search_events)"
CALL = call("calendar.search_events", '{"query": "Budget review"}')


def model(name: str, *replies: str) -> tuple[Script, dspy.LM]:
    script = Script(*replies)
    return script, lm_of(script, f"scripted/{name}")


def test_the_planner_asks_its_model_and_all_other_parts_the_other(env: Environment) -> None:
    planner, planning = model("planner", reply(plan=PLAN))
    executor, executing = model("executor", CALL, finish())

    episode = run_agent(Agent("plan", env, planner_lm=planning), executing).episode

    assert (len(planner.requests), len(executor.requests)) == (1, 2)
    assert (episode.status, episode.plan) == ("finished", PLAN)
    assert [(ask.part, ask.model) for ask in episode.asks] == [
        ("plan", "scripted/planner"),
        ("select", ""),
        ("select", ""),
    ]
    assert calls_by_model(episode, "scripted/executor") == {"scripted/executor": 2, "scripted/planner": 1}
    used = usage_by_model(episode, "scripted/executor")
    assert {name: each.prompt_tokens for name, each in used.items()} == {
        "scripted/executor": 20,
        "scripted/planner": 10,
    }


def test_a_trained_planner_has_compact_prompts_beside_an_executor_with_full_ones(env: Environment) -> None:
    planner, planning = model("planner", PLAN)
    planner.compact_prompts = 200  # type: ignore[attr-defined]
    executor, executing = model("executor", finish())

    run_agent(Agent("plan", env, planner_lm=planning), executing)

    assert planner.requests[0].system == BRIEF_PLAN
    assert "[[ ## tools ## ]]" in str(executor.requests[0].system)
    assert PLAN in texts(executor.requests[0])[0]


def test_each_model_has_its_price(env: Environment, tmp_path: Path) -> None:
    _, planning = model("planner", reply(plan=PLAN))
    _, executing = model("executor", finish())
    prices = Prices(own={"scripted/planner": per_million(100, 0), "scripted/executor": per_million(1, 0)})
    use_prices(prices)
    try:
        result = evaluate(
            Agent("plan", env, planner_lm=planning), TASKS[:1], EvalSettings(env=env, lm=executing, workers=1)
        )
        record = result.records[0]
        assert dollars_an_episode(result) == pytest.approx((10 * 100 + 10 * 1) / 1e6)
    finally:
        use_prices(Prices())

    assert json.loads(record.model_dump_json())["asks"][0]["model"] == "scripted/planner"
    for spent in (Spent.by, Spent.without_cache):
        found: Any = spent(record, "scripted/executor", prices)
        assert (found.calls, found.tokens) == (2, 26)
        assert found.usd == pytest.approx((10 * 100 + 10 * 1) / 1e6)


def test_the_planners_model_decides_the_digest_and_is_not_saved(env: Environment, tmp_path: Path) -> None:
    _, one = model("one")
    _, other = model("other")
    agents = [Agent("plan", env), Agent("plan", env, planner_lm=one), Agent("plan", env, planner_lm=other)]

    assert len({agent.digest for agent in agents}) == 3
    agents[1].save(tmp_path / "state.json")
    assert "scripted/one" not in (tmp_path / "state.json").read_text()
    assert agents[1].deepcopy().planner_lm is not None
    assert agents[1].reset_copy().planner_lm is not None


@pytest.mark.parametrize("strategy", ["react", "gold", "direct"])
def test_a_strategy_without_a_models_plan_takes_no_planner(env: Environment, strategy: str) -> None:
    with pytest.raises(InputError, match="no model plans in the strategy"):
        Agent(strategy, env, planner_lm=model("planner")[1])
