"""Races that start from a compiled program, as with another model than it was compiled for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.lm15 import Request, Response

import worksmith as ws
from tests.optimizers.compiling.test_journal import Photographer, Watched, plan, replies
from tests.optimizers.shop import Clerk, Model, field
from worksmith.evals.dspy_programs.digests import state_digest
from worksmith.evals.suite import Suite
from worksmith.optimizers.candidates.candidate import Candidate
from worksmith.optimizers.candidates.undoing import ALL_PARTS, made_of, taken_off, undoing
from worksmith.optimizers.compiling.artifact import Artifact
from worksmith.optimizers.compiling.compile import compile_program
from worksmith.optimizers.compiling.models import Model as Named
from worksmith.optimizers.compiling.plan import Plan
from worksmith.optimizers.compiling.verification import derived
from worksmith.optimizers.cost.budget import Budget
from worksmith.optimizers.racing.rules import INCUMBENT
from worksmith.plugins.optimizers import without_parts
from worksmith.programs.agent import Agent
from worksmith.tools.errors import InputError
from worksmith.tools.tool import ToolText

HURRY = "Hurry."


class Hasty(Model):
    """Learns verbs from demonstrations; told to hurry, it leaves the tasks about reviews."""

    def complete(self, request: Request) -> Response:
        task = field([_text(each) for each in request.messages if each.role == "user"][-1], "task")
        knows = Model(*self.verbs)
        if "review" in task and HURRY in str(request.system):
            request = replace(request, messages=request.messages[-1:])
        return knows.complete(request)


def _text(message: Any) -> str:
    return "".join(part.text for part in message.parts)


@pytest.fixture(scope="module")
def started(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Artifact:
    """A compiled program with demonstrations and the order to hurry."""
    made = plan(suite, tmp_path_factory.mktemp("old"), "knn", by=Photographer(), demos=3, accept="best")
    found = compile_program(made)
    program, manifest = found.compiled.program, found.artifact.manifest
    assert manifest.undo.parts == ("demonstrations",)
    signature = program.step.signature
    program.step.signature = signature.with_instructions(f"{signature.instructions} {HURRY}")
    undo = undoing(program, Clerk(suite.env))
    return Artifact.of(program, manifest.model_copy(update={"undo": undo}), {})


def moving(
    suite: Suite, folder: Path, started: Artifact, by: Photographer, student: Model, **settings: Any
) -> Plan:
    over = ("demonstrations", "instructions")
    given = {"over": over, "candidates": 2, "alpha": 0.1, "demos": 3, **settings}
    lm = dspy.LM("scripted/new", engine=Watched(student, by), cache=False, num_retries=0)
    return replace(
        plan(suite, folder, "race", by=by, **given),
        program=started.restore(Clerk(suite.env)),
        start=started,
        lm=Named("scripted/new", lm),
        proposer=None,
        dev_limit=None,
    )


def test_what_harms_goes_and_what_helps_stays(suite: Suite, tmp_path: Path, started: Artifact) -> None:
    counter = Photographer()
    whole = compile_program(moving(suite, tmp_path / "whole", started, counter, Hasty("none"))).artifact
    told, plain = whole.manifest, whole.manifest.trials[0]
    gains = plain["race"]["gains"]

    assert gains["without instructions of step"]["high"] < 0 < gains["without demonstrations"]["low"]
    assert {plain["outcome"]["n"], *(gain["n"] for gain in gains.values())} == {len(told.dev)}
    assert told.chosen == "without instructions of step"
    assert told.difference == "instructions of step:\n  -Do the task. Hurry.\n  +Do the task."
    assert told.undo.parts == ("demonstrations",)
    assert (told.start, told.demonstrations) == (started.digest, started.manifest.demonstrations)

    killed = Photographer(tmp_path / "disturbed", counter.calls // 2)
    compile_program(moving(suite, tmp_path / "disturbed", started, killed, Hasty("none")))
    known, second = replies(tmp_path / "killed"), Photographer()
    again = replace(moving(suite, tmp_path / "killed", started, second, Hasty("none")), resume=True)
    assert compile_program(again).artifact.digest == whole.digest
    assert second.calls == counter.calls - known

    nobody = Photographer()
    found = derived(moving(suite, tmp_path / "whole", started, nobody, Hasty("none")))
    assert (found.artifact.digest, found.logs, nobody.calls) == (whole.digest, (), 0)
    other = started.model_copy(update={"state": Artifact.of(Clerk(suite.env), told, {}).state})
    with pytest.raises(InputError, match=r"under other circumstances: .*start was"):
        derived(moving(suite, tmp_path / "whole", other, nobody, Hasty("none")))


@pytest.mark.parametrize(
    ("settings", "parts"),
    [
        (
            {"over": ("demonstrations",)},
            "without instructions of step, without demonstrations, without all parts",
        ),
        ({"pinned": ("step",)}, "without demonstrations"),
    ],
)
def test_what_is_no_better_leaves_the_program_as_it_is(
    suite: Suite, tmp_path: Path, started: Artifact, settings: dict[str, Any], parts: str
) -> None:
    """The model knows all tasks, however it is asked."""
    said: list[str] = []
    knowing = moving(suite, tmp_path, started, Photographer(), Model("Cancel", "Rename", "Shift"), **settings)
    found = compile_program(replace(knowing, say=said.append)).artifact

    assert found.manifest.chosen == INCUMBENT
    assert found.state == started.state
    assert found.manifest.undo == started.manifest.undo
    assert said[0] == f"before the race: the program as it is, {parts}"


@pytest.mark.parametrize("calls", [20, 100])
def test_parts_are_not_measured_where_half_the_budget_does_not_last(
    suite: Suite, tmp_path: Path, started: Artifact, calls: int
) -> None:
    """The program as it is takes some 30 calls on dev, and each program without a part as many."""
    nobody, budget = Photographer(), Budget(calls=calls)
    cut = moving(suite, tmp_path, started, Photographer(), Hasty("none"))
    ended = compile_program(replace(cut, workers=1, budget=budget)).artifact
    told = ended.manifest

    assert budget.spent.calls <= calls + 3
    assert not any(
        "without" in name for trial in told.trials for name in trial.get("race", {}).get("gains", {})
    )
    assert [trial["name"] for trial in told.trials][1:2] == (
        ["without instructions of step"] if calls > 30 else []
    )
    again = derived(
        moving(suite, tmp_path, started, nobody, Hasty("none")), stopped=told.stopped, limits=told.limits
    )
    assert (again.artifact.digest, nobody.calls) == (ended.digest, 0)


def test_an_agent_goes_back_part_by_part(suite: Suite) -> None:
    bare = Agent("react", suite.env)
    changes = Candidate(
        instructions={"selector.predict": "Do it."},
        tools={"calendar.search_events": ToolText(description="Look.", arguments={"query": "What."})},
        strategy="plan",
        prompt="json",
        toolset="all",
        temperature=0.7,
    )
    agent = made_of(changes, bare)
    undo = undoing(agent, bare, changes)

    assert {*undo.parts} == {*changes.parts}
    back = {name: made_of(each, agent) for name, each in taken_off(undo, agent).items()}
    assert back["without strategy"].strategy == bare.strategy
    assert back["without temperature"].selector.predict.config == {}
    whole = back[ALL_PARTS]
    assert whole.config | {"descriptions": None} == bare.config | {"descriptions": None}
    assert whole.portable_state() == bare.portable_state()
    assert whole.shown_tools["calendar.search_events"].text == bare.shown_tools["calendar.search_events"].text
    for name, program in back.items():
        gone = {*undo.parts} if name == ALL_PARTS else {name.removeprefix("without ")}
        if "strategy" in gone:  # its own predictor goes with it
            gone.add("instructions of selector.predict")
        assert {*undoing(program, bare, changes).parts} == {*undo.parts} - gone


def test_a_loaded_program_gives_itself_without_each_part(
    suite: Suite, tmp_path: Path, started: Artifact
) -> None:
    started.write(tmp_path / "old.json")
    program = ws.load(tmp_path / "old.json", Clerk(suite.env))
    found = without_parts(program)

    assert [*found] == ["without instructions of step", "without demonstrations", ALL_PARTS]
    assert state_digest(found[ALL_PARTS]) == state_digest(Clerk(suite.env))
    assert not hasattr(found[ALL_PARTS], "compilation")
    assert without_parts(program, Clerk(suite.env)).keys() == found.keys()
    with pytest.raises(InputError, match="does not say what it was compiled from"):
        without_parts(Clerk(suite.env))

    unknown = Candidate(instructions={"walk": "Go."})
    odd = started.model_copy(update={"manifest": started.manifest.model_copy(update={"undo": unknown})})
    with pytest.raises(InputError, match="the program has no predictor 'walk'"):
        moving(suite, tmp_path, odd, Photographer(), Hasty("none")).check()
