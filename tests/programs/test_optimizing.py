"""DSPy's own optimizers on an agent: whole trajectories, shared environment, nothing left behind."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import dspy
import pytest

from tests.programs.office import TASKS, Script, call, finish, run_agent, texts
from worksmith.evals.suite import as_examples
from worksmith.programs.agent import Agent
from worksmith.programs.prompting.adapter import ADAPTER
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.tools.environment import Environment

TRAINSET = as_examples(TASKS[:3])


def finished(example: dspy.Example, prediction: dspy.Prediction, trace: Any = None) -> bool:
    return prediction.episode.status == "finished" and not prediction.episode.outcome.empty


def bootstrap(agent: Agent) -> Agent:
    optimizer = dspy.BootstrapFewShot(
        metric=finished,
        max_bootstrapped_demos=2,
        max_labeled_demos=3,
        teacher_settings={"lm": scripted_lm(GoldEngine(TASKS))},
    )
    compiled: Agent = optimizer.compile(agent, trainset=TRAINSET)
    return compiled


@pytest.mark.parametrize("name", ["direct", "cot", "act", "react", "plan", "gold"])
def test_stock_bootstrapping_gives_whole_trajectories(name: str, env: Environment) -> None:
    compiled = bootstrap(Agent(name, env=env))
    shown = [demo for demo in compiled.selector.predict.demos if demo.get("augmented")]

    assert len(shown) == 2
    if compiled.strategy.stepwise:
        assert [demo.tool for demo in shown] == ["finish", "finish"]
        assert [[s["tool"] for s in demo.trajectory] for demo in shown] == [
            ["calendar.search_events", "calendar.delete_event"]
        ] * 2
    if name == "plan":
        assert [demo.plan[:2] for demo in compiled.planner.predict.demos[:2]] == ["1.", "1."]


def test_bootstrapped_demonstrations_reach_the_prompt(env: Environment) -> None:
    compiled, script = bootstrap(Agent("react", env=env)), Script(finish())
    run_agent(compiled, script.lm(), TASKS[3])
    prompt = texts(script.requests[0])

    assert len(prompt) == 2 * 6 + 1
    assert "Cancel the meeting 'Budget review'" in prompt[0]
    assert "Cancel the meeting 'Retro'" in prompt[-1]


def test_replies_that_could_not_be_read_are_not_demonstrated(env: Environment) -> None:
    script = Script("What?", call("calendar.search_events"), finish())
    with dspy.context(lm=script.lm(), trace=[]):
        Agent("act", env=env)(task=TASKS[0])
        [(_, inputs, outputs)] = dspy.settings.trace

    assert [step["tool"] for step in inputs["trajectory"]] == ["calendar.search_events"]
    assert outputs.tool == "finish"


def test_an_episode_leaves_one_trace_entry_for_each_predictor(env: Environment) -> None:
    agent = Agent("plan", env=env)
    with dspy.context(lm=scripted_lm(GoldEngine(TASKS)), trace=[]):
        agent(task=TASKS[0])
        predictors = [entry[0] for entry in dspy.settings.trace]

    assert predictors == [agent.planner.predict, agent.selector.predict]


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda agent: agent.deepcopy(), Agent.reset_copy])
def test_copies_share_the_environment_and_nothing_that_is_learned(duplicate: Any, env: Environment) -> None:
    agent = Agent("plan", env=env)
    twin = duplicate(agent)
    twin.selector.predict.demos.append(dspy.Example(task="x"))

    assert twin.env is env
    assert agent.selector.predict.demos == []
    assert twin.selector is not agent.selector


def test_an_agent_saved_whole_has_no_environment_and_takes_another(env: Environment, tmp_path: Path) -> None:
    Agent("act", max_steps=7, env=env).save(tmp_path / "whole", save_program=True)
    agent = dspy.load(tmp_path / "whole", allow_pickle=True)
    assert (agent.env, agent.max_steps) == (None, 7)

    agent.env = env
    assert run_agent(agent, scripted_lm(GoldEngine(TASKS))).episode.status == "finished"


def test_a_task_never_sees_its_own_solution(env: Environment) -> None:
    agent, script = Agent("act", env=env), Script(finish())
    agent.selector.predict.demos = [
        dspy.Example(task=query, trajectory=[], tool="finish", arguments={"answer": "so"})
        for query in (TASKS[0].query, "Like it")
    ]
    run_agent(agent, script.lm())

    shown = texts(script.requests[0])
    assert shown[0] == "[[ ## task ## ]]\nLike it"
    assert len(shown) == 3


def test_the_adapter_remembers_a_bounded_number_of_demonstrations(env: Environment) -> None:
    signature = Agent("act").selector.predict.signature
    for number in range(5000):
        demo = {"task": str(number), "tool": "finish", "arguments": {}}
        ADAPTER.format_demos(signature, [demo])

    assert len(ADAPTER.turns) <= 4096
