"""Agents on disk."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import dspy
import pytest

from programs.agent import Agent
from programs.scripted import GoldEngine, scripted_lm
from programs.state import load, load_manifest, save
from tests.programs.office import TASKS, Script, finish
from tools.errors import InputError
from tools.workshop import Workshop

DEMO = dspy.Example(
    augmented=True,
    task="Like it",
    trajectory=[{"tool": "t.look", "arguments": {}, "observation": "ü"}],
    thought="",
    tool="finish",
    arguments={"answer": "so"},
    records=["event_id:1"],
)
RAW = dspy.Example(task=TASKS[0]).with_inputs("task")


@pytest.fixture
def taught(workshop: Workshop) -> Agent:
    agent = Agent("react", toolset="all", max_steps=9, workshop=workshop)
    agent.selector.predict.demos = [DEMO, RAW]
    agent.selector.predict.signature = agent.selector.predict.signature.with_instructions("Be quick.")
    return agent


def test_what_decides_how_an_agent_acts_survives(taught: Agent, tmp_path: Path, workshop: Workshop) -> None:
    taught.set_lm(Script().lm())
    save(taught, tmp_path / "agent.json", {"teacher": "gold"})
    loaded = load(tmp_path / "agent.json", workshop)

    assert loaded.digest == taught.digest
    assert loaded.config == taught.config
    assert loaded.selector.predict.demos == [DEMO]
    assert loaded.selector.predict.signature.instructions == "Be quick."
    assert loaded.selector.predict.lm is None
    assert loaded.workshop is workshop
    assert load_manifest(tmp_path / "agent.json") == {"teacher": "gold"}


def test_a_loaded_agent_sends_the_same_requests(taught: Agent, tmp_path: Path, workshop: Workshop) -> None:
    save(taught, tmp_path / "agent.json")
    requests = []
    for agent in (taught, load(tmp_path / "agent.json", workshop)):
        script = Script(finish())
        with dspy.context(lm=script.lm()):
            agent(task=TASKS[0])
        requests.append(script.requests)

    assert requests[0] == requests[1]


def test_no_task_and_no_workshop_is_written(taught: Agent, tmp_path: Path) -> None:
    save(taught, tmp_path / "agent.json")
    text = (tmp_path / "agent.json").read_text()

    assert TASKS[0].query not in text
    assert str(taught.workshop.world.path) not in text  # type: ignore[union-attr]


def test_a_new_process_gives_the_same_answers(tmp_path: Path, workshop: Workshop) -> None:
    agent = Agent("plan", workshop=workshop)
    agent.selector.predict.demos = [DEMO]
    save(agent, tmp_path / "agent.json")
    with dspy.context(lm=scripted_lm(GoldEngine(TASKS))):
        here = [agent(task=task).episode.outcome.to_json() for task in TASKS]
    code = (
        "import dspy, json, sys; from programs.state import load; from tools.workshop import Workshop;"
        "from programs.scripted import *; from tests.programs.office import TASKS;"
        "agent = load(sys.argv[1], Workshop.open(sys.argv[2]));"
        "dspy.configure(lm=scripted_lm(GoldEngine(TASKS)));"
        "print(json.dumps([agent(task=task).episode.outcome.to_json() for task in TASKS]))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "agent.json"), str(workshop.world.path)]
    there = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert json.loads(there) == here


def test_an_agent_with_a_bank_is_saved_elsewhere(taught: Agent, tmp_path: Path) -> None:
    taught.demo_source = lambda task, predictor: []

    with pytest.raises(InputError, match="bank"):
        save(taught, tmp_path / "agent.json")


def test_what_is_no_agent_is_said(taught: Agent, tmp_path: Path) -> None:
    path = tmp_path / "agent.json"
    with pytest.raises(InputError, match="cannot read"):
        load(path)
    path.write_text("{}")
    with pytest.raises(InputError, match="not a saved agent"):
        load(path)
    save(taught, path)
    path.write_text(path.read_text().replace("Be quick.", "Be slow."))
    with pytest.raises(InputError, match="differs from its digest"):
        load(path)
