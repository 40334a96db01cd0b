"""What prompts show of a bank: by every selection, whole and in steps, and within a number of tokens."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy import lm15
from hypothesis import given
from hypothesis import strategies as st

from tests.optimizers.listening import Listening
from worksmith.evals.dspy_programs.demo_format import DemoNotes
from worksmith.evals.dspy_programs.demo_tokens import demo_tokens, fitting
from worksmith.evals.suite import Suite
from worksmith.evals.tasks.task import Task, same_text
from worksmith.optimizers.demos.bank_building import TeacherRun, build_bank
from worksmith.optimizers.demos.demonstration import Demonstration
from worksmith.optimizers.demos.selection import SELECTIONS, Selector, selection_called
from worksmith.optimizers.demos.showing import show
from worksmith.optimizers.demos.steps import in_units, steps_of
from worksmith.optimizers.demos.trace_bank import TraceBank
from worksmith.optimizers.rollouts import Rollouts
from worksmith.optimizers.settings import Settings
from worksmith.programs.agent import Agent
from worksmith.programs.prompting.replies.reply import split_fields
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.tools.errors import InputError


@pytest.fixture(scope="module")
def bank(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> TraceBank:
    folder = tmp_path_factory.mktemp("bank")
    teacher = scripted_lm(GoldEngine(suite.tasks))

    def rollouts(number: int, attempt: TeacherRun) -> Rollouts:
        return Rollouts(suite.env, teacher, folder / str(number))

    agent = Agent("react", env=suite.env)
    return build_bank(agent, suite.select(split="train"), [TeacherRun("gold", "gold", teacher)], rollouts)


def demo_tasks(agent: Agent, tasks: list[Task]) -> dict[str, list[list[str]]]:
    """For each task's id, the tasks of the demonstrations in each of its prompts."""
    found: dict[str, list[list[str]]] = {}
    for task in tasks:
        engine = Listening([task])
        with dspy.context(lm=scripted_lm(engine)):
            agent(task=task)
        found[task.id] = [_openings(request)[:-1] for request in engine.requests]
    return found


def _openings(request: lm15.Request) -> list[str]:
    said = [split_fields(message.text or "") for message in request.messages if message.role == "user"]
    return [fields["task"] for fields in said if "task" in fields]


@pytest.mark.parametrize(("selection", "unit"), [*product(SELECTIONS, ["trajectory"]), ("nearest", "step")])
def test_no_task_is_ever_shown_itself(suite: Suite, bank: TraceBank, selection: str, unit: Any) -> None:
    told = Settings(demos=8, selection=selection, demo_unit=unit)
    display = selection_called(selection).choose(Selector.of(bank, told.demo_unit), 8, seed=0)
    agent = show(Agent("react", env=suite.env), display, told).program
    shouted = [
        task.model_copy(update={"query": f"  {task.query.upper()} "}) for task in suite.select(split="train")
    ]
    reworded = [
        task.model_copy(update={"query": f"Number {number}, please"})
        for number, task in enumerate(suite.select(split="train"))
    ]

    for tasks in (shouted, reworded):
        prompts = demo_tasks(agent, tasks)
        for task in suite.select(split="train"):
            assert same_text(task.query) not in {same_text(text) for p in prompts[task.id] for text in p}
            assert any(prompts[task.id])


@pytest.mark.slow
@given(data=st.data())
def test_searched_demonstrations_never_ask_the_query(suite: Suite, bank: TraceBank, data: Any) -> None:
    size = data.draw(st.integers(1, 12))
    selection = data.draw(st.sampled_from(["nearest", "mixture"]))
    unit = data.draw(st.sampled_from(["trajectory", "step"]))
    tokens = data.draw(st.none() | st.integers(50, 1500))
    hidden = frozenset(data.draw(st.sets(st.integers(0, 11))))
    asked = data.draw(st.sampled_from(bank.demonstrations)).query
    query = "".join(letter.upper() if data.draw(st.booleans()) else letter for letter in asked)
    told = Settings(demos=size, demo_unit=unit, demo_tokens=tokens)
    display = selection_called(selection).choose(Selector.of(bank, told.demo_unit), size, seed=0)
    predict = show(Agent("react", env=suite.env), display, told).program.selector.predict

    forms = [None if at in hidden else demo for at, demo in enumerate(predict.demos)]
    context = next((demo.context for demo in predict.demos if same_text(demo.task) == same_text(query)), "")
    demos = predict.nearest_demos({"task": query, "context": context, "trajectory": []}, forms)

    assert all(same_text(demo.task) != same_text(query) for demo in demos)
    assert not {id(demo) for demo in demos} & {
        id(predict.demos[at]) for at in hidden if at < len(predict.demos)
    }
    assert len(demos) <= size
    assert tokens is None or sum(demo_tokens(demo) for demo in demos) <= tokens


def test_a_mixture_shows_some_always_and_the_nearest_besides(suite: Suite, bank: TraceBank) -> None:
    display = selection_called("mixture").choose(Selector(bank.demonstrations), 8, seed=0)
    agent = show(Agent("react", env=suite.env), display, Settings()).program
    prompts = demo_tasks(agent, suite.select(split="test"))

    always = {demonstration.query for demonstration in display.fixed}
    assert len(always) == 2
    assert all(always <= set(prompt) for found in prompts.values() for prompt in found)
    assert len({tuple(found[0]) for found in prompts.values()}) > 1
    assert {len(prompt) for found in prompts.values() for prompt in found} == {8}


def test_fixed_demonstrations_stay_within_their_tokens(suite: Suite, bank: TraceBank) -> None:
    pool = Selector(bank.demonstrations)
    sizes = [demo_tokens(d.parts["selector.predict"]) for d in bank.demonstrations]
    display = selection_called("covering").choose(pool, 12, seed=0)
    agent = Agent("react", env=suite.env)

    for limit in (min(sizes) - 1, 3 * max(sizes), sum(sizes)):
        predict = show(agent, display, Settings(demo_tokens=limit)).program.selector.predict
        demos = predict.nearest_demos({"task": "another", "trajectory": []})
        assert sum(demo_tokens(demo) for demo in demos) <= limit
        assert len(demos) in (0, 12) or limit - sum(demo_tokens(demo) for demo in demos) < max(sizes)


def test_what_does_not_fit_makes_room_for_what_does() -> None:
    items = [("a", {"x": 5}), ("b", {"x": 9}), ("c", {"x": 4, "y": 1}), ("d", {"y": 11})]

    assert fitting(items, 10) == ["a", "c"]
    assert fitting(items, None) == ["a", "b", "c", "d"]


def test_tokens_count_what_a_prompt_shows() -> None:
    shown_fields = {"task": "Cancel 'alpha sync'", "trajectory": [], "tool": "finish"}
    unseen = {**DemoNotes(["calendar/0"] * 99, {"task": "x" * 999}).to_fields(), "augmented": True}

    assert demo_tokens(shown_fields | unseen) == demo_tokens(shown_fields)
    assert demo_tokens(shown_fields) == -(-len(json.dumps(shown_fields)) // 4)


def test_steps_are_the_states_that_an_episode_went_through(bank: TraceBank) -> None:
    whole = bank.demonstrations[0]
    steps = steps_of(whole)
    parts = [step.parts["selector.predict"] for step in steps]

    assert [part["tool"] for part in parts] == [*whole.tools, "finish"]
    assert [len(part["trajectory"]) for part in parts] == [0, 1, 2]
    assert parts[1]["trajectory"] == whole.parts["selector.predict"]["trajectory"][:1]
    assert parts[1]["thought"] == whole.parts["selector.predict"]["trajectory"][1]["thought"]
    assert parts[2] == whole.parts["selector.predict"]
    assert {step.task_id for step in steps} == {whole.task_id}
    assert len({step.key for step in steps}) == 3


def test_steps_of_a_twin_are_cut_with_it(bank: TraceBank) -> None:
    part = bank.demonstrations[0].parts["selector.predict"]
    twin = {**part, "task": "made up"}
    whole, other = (
        bank.demonstrations[0].model_copy(
            update={"parts": {"selector.predict": part | DemoNotes(redacted=each).to_fields()}}
        )
        for each in (twin, {**twin, "trajectory": []})
    )

    first = DemoNotes.of(steps_of(whole)[0].parts["selector.predict"]).redacted
    assert first is not None
    assert (first["task"], first["trajectory"], first["tool"]) == ("made up", [], "calendar.search_events")
    redacted = [DemoNotes.of(step.parts["selector.predict"]).redacted for step in steps_of(other)]
    assert [each is not None for each in redacted] == [True, False, False]


def test_a_step_is_shown_where_an_episode_stands(suite: Suite, bank: TraceBank) -> None:
    told = Settings(demos=4, demo_unit="step")
    display = selection_called("nearest").choose(Selector.of(bank, told.demo_unit), 4, seed=0)
    predict = show(Agent("react", env=suite.env), display, told).program.selector.predict
    searched = {"tool": "calendar.search_events", "arguments": {}, "observation": "[]"}

    begun = predict.nearest_demos({"task": "Cancel 'x'", "trajectory": []})
    after = predict.nearest_demos({"task": "Cancel 'x'", "trajectory": [searched]})
    odd = predict.nearest_demos({"task": "Cancel 'x'", "trajectory": [{**searched, "tool": "other"}]})

    assert {len(demo.trajectory) for demo in begun} == {0}
    assert {len(demo.trajectory) for demo in after} == {1}
    assert {demo.tool for demo in after} == {"calendar.delete_event"}
    assert len(odd) == 4


def test_programs_without_steps_say_so(bank: TraceBank) -> None:
    at_once = Demonstration(task_id="a", query="q", teacher="t", parts={"p": {"task": "q", "calls": []}})
    with pytest.raises(InputError, match="no steps"):
        in_units([at_once], "step")


def test_what_is_saved_of_a_mixture_chooses_the_same_when_loaded(
    suite: Suite, bank: TraceBank, tmp_path: Path
) -> None:
    told = Settings(demos=6, demo_tokens=900, demo_unit="step")
    display = selection_called("mixture").choose(Selector.of(bank, told.demo_unit), 6, seed=0)
    agent = show(Agent("react", env=suite.env), display, told).program
    again = show(Agent("react", env=suite.env), display, told).program
    again.load_state(json.loads(json.dumps(agent.dump_state())))
    tasks = suite.select(split="test")

    assert again.selector.predict.nearest == agent.selector.predict.nearest
    assert demo_tasks(again, tasks) == demo_tasks(agent, tasks)
