"""Candidates as programs: built, run, compiled, written, loaded, and told apart from the program as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dspy
import pytest

import worksmith as ws
from tests.optimizers.listening import Listening
from tests.optimizers.shop import Clerk
from worksmith.evals.dspy_programs.program_state import state_of
from worksmith.evals.suite import Suite
from worksmith.optimizers.candidates.building import UnfitBankError, built, demos_of
from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.optimizers.candidates.difference import difference
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.optimizers.demos.bank_building import TeacherRun, build_bank
from worksmith.optimizers.demos.selection import SELECTIONS, Selector, selection_called
from worksmith.optimizers.demos.showing import show
from worksmith.optimizers.demos.steps import UNITS, Unit
from worksmith.optimizers.demos.trace_bank import TraceBank
from worksmith.optimizers.optimizer import CompileContext, Compiled
from worksmith.optimizers.rollouts import Rollouts
from worksmith.optimizers.settings import Settings
from worksmith.optimizers.teleprompter import Teleprompter
from worksmith.programs.agent import Agent
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.tools.errors import InputError

WHOLE = {
    "instructions": {"selector.predict": "Do the task with the tools.\nSearch by the title alone."},
    "demonstrations": {"selector.predict": {"show": "nearest", "count": 2}},
    "tools": {
        "calendar.search_events": {
            "description": "Finds meetings by their title.",
            "arguments": {"query": "a part of the title"},
        }
    },
    "strategy": "act",
    "prompt": "json",
    "temperature": 0.5,
}
DIFFERENCE = """\
instructions of selector.predict:
  -{instructions}
  +Do the task with the tools.
  +Search by the title alone.
description of calendar.search_events:
  -{description}
  +Finds meetings by their title.
argument query of calendar.search_events:
  {query}+a part of the title
demonstrations: none -> the 2 nearest of the bank
strategy: react -> act
prompt: auto -> json
temperature: that of the model -> 0.5"""


@pytest.fixture(scope="module")
def bank(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> TraceBank:
    """Of the strategy `act`."""
    folder, teacher = tmp_path_factory.mktemp("bank"), scripted_lm(GoldEngine(suite.tasks))
    tasks = suite.select(split="train", limit=6)
    agent = Agent("act", env=suite.env)
    return build_bank(
        agent,
        tasks,
        [TeacherRun("gold", "gold", teacher)],
        lambda n, _: Rollouts(suite.env, teacher, folder / str(n)),
    )


def test_a_program_of_five_parts_runs_is_written_loads_and_prints_its_difference(
    suite: Suite, bank: TraceBank, tmp_path: Path
) -> None:
    class One(Teleprompter):
        name = "one"

        def search(self, context: CompileContext) -> Compiled:
            made = built(Candidate.from_json(WHOLE), context.program, bank, self.settings)
            return Compiled(made.program, made.demonstrations, candidate=made.candidate)

        def max_episodes(self, context: CompileContext) -> dict[str, int]:
            return {}

    student = Agent("react", env=suite.env)
    engine = Listening(suite.tasks)
    better = One(lm=scripted_lm(engine)).compile(student, trainset=suite.train, valset=suite.dev)
    better.compilation.save(tmp_path / "better.json")
    tool = student.shown_tools["calendar.search_events"]
    said = DIFFERENCE.format(
        instructions=student.selector.predict.signature.instructions,
        description=tool.summary,
        query=f"-{tool.argument_notes['query']}\n  " if "query" in tool.argument_notes else "",
    )
    assert said in str(better.compilation)
    manifest = Artifact.read(tmp_path / "better.json").manifest
    assert manifest.difference == said
    assert manifest.candidate == Candidate.from_json(WHOLE)
    assert manifest.program == better.config

    longer = Agent("react", env=suite.env, max_steps=30)
    for into in (suite.env, longer, longer.with_settings(strategy="plan")):
        agent = ws.load(tmp_path / "better.json", into)
        assert agent.config == better.config | {"max_steps": agent.max_steps}
        assert agent.compilation.difference == said
        assert agent.max_steps == (20 if into is suite.env else 30)
        assert agent.portable_state() == better.portable_state()
        engine.requests.clear()
        with dspy.context(lm=scripted_lm(engine)):
            assert agent(task=suite.select(split="test")[0]).episode.status == "finished"
        for request in engine.requests:
            prompt = str(request.system) + "".join(message.text or "" for message in request.messages)
            assert "Search by the title alone." in prompt
            assert "Finds meetings by their title." in prompt
            assert "a part of the title" in prompt
            assert tool.summary not in prompt
            assert "[[ ##" not in prompt
            assert request.config.temperature == 0.5
        assert len({request.messages[0].text for request in engine.requests}) == 1
    assert longer.strategy.name == "react"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"instructions": {"planner.predict": "Plan."}}, "no predictor 'planner.predict'"),
        ({"tools": {"calendar.fly": {"description": "Flies."}}}, "no tool 'calendar.fly'"),
        ({"tools": {"calendar.search_events": {"arguments": {"wings": "two"}}}}, "no argument 'wings'"),
        ({"toolset": "calendar+wings"}, "no toolset"),
        ({"prompt": "song"}, "no form of prompts 'song'"),
        ({"strategy": "hope"}, "no strategy 'hope'"),
        (
            {"strategy": "act", "demonstrations": {"selector.predict": {"show": "fixed", "tasks": ["x"]}}},
            "the bank has no demonstration 'x'",
        ),
    ],
)
def test_what_an_agent_lacks_is_refused(
    suite: Suite, bank: TraceBank, data: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        built(Candidate.from_json(data), Agent("react", env=suite.env), bank, Settings())


def test_a_bank_of_another_strategy_is_refused(suite: Suite, bank: TraceBank) -> None:
    shown = {"demonstrations": {"selector.predict": {"show": "nearest", "count": 2}}}
    with pytest.raises(UnfitBankError, match="has the fields of selector"):
        built(Candidate.from_json(shown), Agent("react", env=suite.env), bank, Settings())
    agent = built(Candidate.from_json(shown), Agent("act", env=suite.env), bank, Settings()).program
    other = built(Candidate(strategy="react"), agent, bank, Settings()).program
    assert not other.selector.predict.demos
    assert built(
        Candidate(strategy="function_calling"), agent, bank, Settings()
    ).program.selector.predict.demos


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("selection", SELECTIONS)
def test_a_candidate_says_what_any_selection_displays(
    suite: Suite, bank: TraceBank, selection: str, unit: Unit
) -> None:
    agent, told = Agent("act", env=suite.env), Settings(demo_unit=unit)
    display = selection_called(selection).choose(Selector.of(bank, unit), 4, seed=0)
    said = Candidate(demonstrations={"selector.predict": demos_of(display)})
    made = built(Candidate.from_json(said.to_json()), agent, bank, told)
    shown = show(agent, display, told)
    assert made.demonstrations == shown.demonstrations
    assert state_of(made.program) == state_of(shown.program)


def test_a_program_that_is_no_agent_has_instructions_demonstrations_and_temperature(suite: Suite) -> None:
    clerk = Clerk(suite.env)
    changes = Candidate(instructions={"step": "Do it."}, temperature=0.0)
    made = built(changes, clerk, TraceBank(()), Settings()).program
    assert made.step.signature.instructions == "Do it."
    assert made.step.config == {"temperature": 0.0}
    assert difference(changes, clerk).splitlines()[-1] == "temperature: that of the model -> 0.0"
    assert clerk.step.config == {}
    for data in ({"prompt": "json"}, {"tools": {"calendar.search_events": {"description": "Finds."}}}):
        with pytest.raises(InputError, match="a Clerk has no"):
            built(Candidate.from_json(data), clerk, TraceBank(()), Settings())
