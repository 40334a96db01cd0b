"""Agents saved and loaded the DSPy way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dspy
import pytest

from tests.programs.office import TASKS, finish, run_script, texts
from worksmith.evals.dspy_programs.nearest import NearestPredict, NearestSettings, show_nearest
from worksmith.evals.dspy_programs.states import load_program
from worksmith.optimizers.compiling.artifact import Artifact, Manifest
from worksmith.programs.agent import Agent
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError


def taught(env: Environment, strategy: str = "react", *, nearest: bool = True) -> Agent:
    """An agent with a bank of two demonstrations, of which it shows the one nearest to its task."""
    agent = Agent(strategy, env=env)
    with dspy.context(lm=scripted_lm(GoldEngine(TASKS)), trace=[]):
        for task in TASKS[:2]:
            agent(task=task)
        trace = dspy.settings.trace
    for _, part in agent.named_predictors():
        part.demos = [
            dspy.Example(augmented=True, **inputs, **outputs.toDict())
            for asked, inputs, outputs in trace
            if asked is part
        ]
    if nearest:
        show_nearest(agent, {name: NearestSettings("task", 1) for name, _ in agent.named_predictors()})
    return agent


@pytest.fixture
def saved(env: Environment, tmp_path: Path) -> Path:
    """The state of a taught agent."""
    taught(env).save(tmp_path / "agent.json")
    return tmp_path / "agent.json"


def change(file: Path, part: str, **changes: Any) -> None:
    state = json.loads(file.read_text())
    state[part] = {**state[part], **changes}
    file.write_text(json.dumps(state))


def prompt(agent: Agent) -> list[str]:
    _, script = run_script(agent, finish(), task=TASKS[3])
    return texts(script.requests[0])


@pytest.mark.parametrize("nearest", [True, False])
@pytest.mark.parametrize("strategy", ["react", "direct"])
def test_a_saved_agent_behaves_the_same_when_loaded(
    env: Environment, tmp_path: Path, strategy: str, nearest: bool
) -> None:
    agent = taught(env, strategy, nearest=nearest)
    agent.save(tmp_path / "agent.json")
    loaded = Agent(strategy, env=env)
    loaded.load(tmp_path / "agent.json")

    assert prompt(loaded) == prompt(agent)
    assert loaded.digest == agent.digest
    assert isinstance(loaded.selector.predict, NearestPredict) == nearest


def test_an_agent_saved_whole_chooses_the_same_demonstrations(env: Environment, tmp_path: Path) -> None:
    agent = taught(env)
    agent.save(tmp_path / "whole", save_program=True)
    loaded = dspy.load(tmp_path / "whole", allow_pickle=True)
    loaded.env = env

    assert prompt(loaded) == prompt(agent)


def test_a_temperature_is_not_lost(env: Environment, tmp_path: Path) -> None:
    agent = taught(env, nearest=False)
    agent.selector.predict.config = {"temperature": 0.5}
    agent.save(tmp_path / "agent.json")
    loaded = Agent("react", env=env)
    with pytest.raises(InputError, match="it was saved with temperatures"):
        loaded.load(tmp_path / "agent.json")
    loaded.selector.predict.config = {"temperature": 0.5}
    loaded.load(tmp_path / "agent.json")
    assert loaded.digest == agent.digest


def test_an_agent_that_chooses_takes_over_a_state_that_does_not(env: Environment, tmp_path: Path) -> None:
    taught(env, nearest=False).save(tmp_path / "agent.json")
    loaded = taught(env)
    loaded.load(tmp_path / "agent.json")

    assert type(loaded.selector.predict) is dspy.Predict
    assert prompt(loaded) == prompt(taught(env, nearest=False))


def test_a_plain_predictor_refuses_a_bank_and_says_how_it_is_loaded(env: Environment) -> None:
    agent = taught(env)
    plain = dspy.Predict(agent.selector.predict.signature)
    with pytest.raises(ValueError, match=r"load it with worksmith\.load"):
        plain.load_state(agent.selector.predict.dump_state())

    assert plain.demos == []


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"strategy": "act"}, ""),
        ({"strategy": "plan"}, ""),
        ({"strategy": "cot"}, ""),
        ({"max_steps": 7}, "it was saved with max_steps=20"),
        ({"toolset": "all"}, "it was saved with toolset='required'"),
        ({"access": "both"}, "it was saved with access='policy'"),
    ],
)
def test_a_state_of_another_agent_is_refused_and_changes_nothing(
    env: Environment, saved: Path, settings: dict[str, Any], said: str
) -> None:
    other = Agent(**{"strategy": "react", "env": env, **settings})
    before = other.digest
    with pytest.raises(InputError, match=f"the state of another program: {said}"):
        other.load(saved)

    assert other.digest == before


@pytest.mark.parametrize("made", [None, 5, [], "x"])
def test_what_says_nothing_of_how_it_was_made_is_refused(saved: Path, made: Any) -> None:
    saved.write_text(json.dumps({**json.loads(saved.read_text()), "made": made}))

    with pytest.raises(InputError, match="does not say how it was made"):
        Agent("react").load(saved)


def test_an_agent_may_get_its_environment_afterwards(env: Environment, tmp_path: Path) -> None:
    agent = Agent("act", toolset="all", env=env)
    agent.save(tmp_path / "agent.json")
    loaded = Agent("act")
    loaded.load(tmp_path / "agent.json")
    loaded.env = env

    assert loaded.config == agent.config


def test_a_compiled_program_is_no_state(env: Environment, tmp_path: Path) -> None:
    agent = taught(env)
    manifest = Manifest(
        program=agent.config,
        suite={},
        scheme="standard",
        train=(),
        dev=(),
        lm="none",
        teacher="gold",
        gold=True,
        optimizer="knn",
        settings={},
    )
    Artifact.of(agent, manifest, {}).write(tmp_path / "program.json")

    with pytest.raises(InputError, match=r"compiled program of worksmith.*worksmith\.load"):
        Agent("react").load(tmp_path / "program.json")


def test_a_state_is_no_compiled_program(saved: Path) -> None:
    with pytest.raises(InputError, match="a state that DSPy saved, not a compiled program"):
        Artifact.read(saved)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"metadata": 1}', "[" * 100_000])
def test_other_files_are_no_states(tmp_path: Path, content: str) -> None:
    (tmp_path / "agent.json").write_text(content)

    with pytest.raises(InputError, match="state"):
        Agent("react").load(tmp_path / "agent.json")


@pytest.mark.parametrize(
    "nearest", [None, 5, {}, {"field": "task"}, {"field": "task", "count": "1"}, {"zzz": 1}]
)
def test_damaged_settings_are_refused(saved: Path, nearest: Any) -> None:
    change(saved, "selector.predict", nearest=nearest)

    with pytest.raises(InputError, match="nearest"):
        Agent("react").load(saved)


def test_a_bank_that_grows_is_seen_by_the_next_search(env: Environment) -> None:
    agent = taught(env)
    bank = agent.selector.predict.demos
    nearer = bank[0].copy(task="Cancel the meeting 'Lunch'")
    for demo, task in zip(bank, ("Write a mail to Kim", "Draw a logo"), strict=True):
        demo.task = task
    assert "Lunch" not in prompt(agent)[0]
    bank.append(nearer)

    assert "Lunch" in prompt(agent)[0]


@pytest.mark.parametrize(
    "hostile",
    [
        {"config": {"api_base": "http://127.0.0.1:9"}},
        {"lm": {"model": "openai/gpt-4o-mini"}},
        {"lm": "openai/gpt-4o-mini"},
        {"forward": "x"},
        {"__class__": "x"},
        {"demos": [1]},
    ],
)
def test_a_state_names_no_model_and_no_setting(
    env: Environment, saved: Path, hostile: dict[str, Any]
) -> None:
    """Neither through an agent's own `load` nor through the function for any program."""
    change(saved, "selector.predict", **hostile)
    agent = Agent("react", env=env)
    before = agent.digest

    with pytest.raises(InputError, match="not a state of texts"):
        agent.load(saved)
    with pytest.raises(InputError, match="not a state of texts"):
        load_program(agent, saved)
    assert agent.digest == before


def test_a_trusted_state_may_name_a_model_and_call_an_output_otherwise_as_copro_does(
    env: Environment, tmp_path: Path
) -> None:
    agent = taught(env)
    predict = agent.selector.predict
    predict.signature = predict.signature.with_updated_fields("arguments", prefix="The arguments:")
    predict.lm = dspy.LM("openai/mine")
    agent.save(tmp_path / "agent.json")
    loaded = Agent("react", env=env)
    loaded.load(tmp_path / "agent.json", allow_unsafe_lm_state=True)

    assert loaded.selector.predict.lm.model == "openai/mine"
    assert loaded.digest == agent.digest


def test_a_pickled_state_is_not_loaded(env: Environment, tmp_path: Path) -> None:
    taught(env, nearest=False).save(tmp_path / "agent.pkl")

    with pytest.raises(ValueError, match="can run arbitrary code"):
        Agent("react", env=env).load(tmp_path / "agent.pkl")
