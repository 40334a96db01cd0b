"""Components of a user's own: a planner, a tool selector, an access checker, an executor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import dspy
import pytest

from tests.evals import help_desk as desk
from tests.programs.office import TASKS, Script, call, finish, make_env, reply, run_agent, run_script, texts
from worksmith.evals.dspy_programs.demo_format import NOTES
from worksmith.evals.dspy_programs.digests import model_name, program_digest
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.evals.suite import Suite, write_suite
from worksmith.programs.agent import Agent
from worksmith.programs.parts.checker import Check
from worksmith.programs.parts.executor import Execution, Executor
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.programs.rollout import Rollout
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError
from worksmith.tools.policy import Opinion

SEARCH = call("calendar.search_events", '{"query": "Budget"}')
DELETE = call("calendar.delete_event", '{"event_id": "00000000"}')
OUTLINE = reply(outline="Look, then delete.")


class Outline(dspy.Signature):  # type: ignore[misc]
    """Say in one line how the task is done."""

    task: str = dspy.InputField()
    tools: str = dspy.InputField()
    outline: str = dspy.OutputField()


class Outliner(dspy.Module):  # type: ignore[misc]
    """Plans in one line; calls its predictor as any module does."""

    def __init__(self) -> None:
        super().__init__()
        self.outline = dspy.Predict(Outline)

    def forward(self, rollout: Rollout, progress: str = "") -> dspy.Prediction:
        return dspy.Prediction(plan=self.outline(task=rollout.task.query, tools=rollout.tools).outline)


class NextCall(dspy.Signature):  # type: ignore[misc]
    """Make one call."""

    task: str = dspy.InputField()
    plan: str = dspy.InputField(default="")
    tools: str = dspy.InputField()
    trajectory: list[Any] = dspy.InputField()
    tool: str = dspy.OutputField()
    arguments: dict[str, Any] = dspy.OutputField()


class Selector(dspy.Module):  # type: ignore[misc]
    """Selects with a signature of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.next = dspy.Predict(NextCall)

    def forward(self, rollout: Rollout) -> dspy.Prediction:
        shown = {name: text for name, text in rollout.shown.items() if name != "context"}
        return self.next(**shown, trajectory=rollout.trajectory)


class Cautious(dspy.Module):  # type: ignore[misc]
    """Asks a model whether a call deletes anything, and refuses it if so."""

    def __init__(self) -> None:
        super().__init__()
        self.judge = dspy.Predict("tool, arguments -> deletes")

    def forward(self, rollout: Rollout, tool: str, arguments: Mapping[str, Any]) -> Check:
        deletes = self.judge(tool=tool, arguments=str(arguments)).deletes == "yes"
        return Check(opinion=Opinion(not deletes), refusal="It deletes." if deletes else None)


class Twice(Executor):
    """Makes every call that only reads twice."""

    def forward(self, rollout: Rollout, tool: str, arguments: Mapping[str, Any]) -> Execution:
        done = super().forward(rollout, tool, arguments)
        known = rollout.episode.toolset.get(tool)
        if known is None or known.writes:
            return done
        again = rollout.episode.call(tool, arguments)
        return replace(done, observation=replace(again, text=f"{again.text} (twice)"))


def whole(env: Environment | None = None) -> Agent:
    parts: Any = {"planner": Outliner(), "selector": Selector(), "checker": Cautious(), "executor": Twice()}
    return Agent("act", env=env, **parts)


WHOLE = (OUTLINE, SEARCH, reply(deletes="no"), DELETE, reply(deletes="yes"), finish())
"""What a model says to such an agent."""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    env = make_env(tmp_path_factory.mktemp("components"))
    split = [task.model_copy(update={"split": "train"}) for task in TASKS]
    return write_suite(env.world, split)


def test_all_four_work_in_one_episode(env: Environment) -> None:
    done, script = run_script(whole(env), *WHOLE)

    assert (done.episode.status, done.episode.plan) == ("finished", "Look, then delete.")
    search, delete = "calendar.search_events", "calendar.delete_event"
    assert [made.tool for made in done.episode.calls] == [search, search, delete]
    assert done.episode.calls[-1].observation.text.endswith("It deletes.")
    assert done.episode.outcome.empty
    assert [opinion.allow for opinion in done.episode.opinions] == [True, False]
    assert [ask.part for ask in done.episode.asks] == ["plan", "select", "check", "select", "check", "select"]
    assert done.episode.model_calls == len(script.requests) == 6
    assert done.episode.usage.prompt_tokens == 60
    assert "(twice)" in texts(script.requests[3])[-1]
    assert "Look, then delete." in texts(script.requests[1])[0]


@pytest.mark.parametrize(
    ("component", "replies"),
    [
        ({"planner": Outliner()}, (OUTLINE, call("finish", '{"answer": "x"}', thought="End."))),
        ({"selector": Selector()}, (SEARCH, finish())),
        ({"checker": Cautious()}, (SEARCH, reply(deletes="no"), finish())),
        ({"executor": Twice()}, (SEARCH, finish())),
    ],
)
def test_each_works_beside_ours(
    component: dict[str, dspy.Module], replies: tuple[str, ...], env: Environment
) -> None:
    done, _ = run_script(Agent("act", env=env, **component), *replies)

    assert (done.episode.status, done.episode.model_calls) == ("finished", len(replies))


def test_a_planner_of_ones_own_is_followed_whatever_the_strategy(env: Environment) -> None:
    _, script = run_script(Agent("act", env=env, planner=Outliner()), OUTLINE, finish())

    assert "[[ ## plan ## ]]\nLook, then delete." in texts(script.requests[1])[0]


def test_an_unreadable_reply_to_a_selector_of_ones_own_is_shown_to_the_model(env: Environment) -> None:
    done, script = run_script(Agent("act", env=env, selector=Selector()), "Hm.", finish())

    assert (done.episode.status, done.unreadable) == ("finished", 1)
    assert "could not be read" in texts(script.requests[1])[-1]


def test_no_component_is_handed_the_gold_plan(env: Environment) -> None:
    seen = []

    class Curious(Selector):
        def forward(self, rollout: Rollout) -> dspy.Prediction:
            seen.append(rollout.task)
            return super().forward(rollout)

    run_script(Agent("act", env=env, selector=Curious()), finish())

    assert seen
    assert not hasattr(seen[0], "gold_plan")


def test_the_trace_has_every_predictor_and_of_the_selector_the_whole_trajectory(env: Environment) -> None:
    agent = whole(env)
    with dspy.context(lm=Script(*WHOLE).lm(), trace=[]):
        agent(task=TASKS[0])
        trace = list(dspy.settings.trace)
    names = {id(predict): name for name, predict in agent.named_predictors()}

    assert [names[id(predict)] for predict, _, _ in trace] == [
        "planner.outline", "checker.judge", "checker.judge", "selector.next",
    ]  # fmt: skip
    assert trace[0][1] == {"task": TASKS[0].query}
    assert [step["tool"] for step in trace[-1][1]["trajectory"]] == [
        "calendar.search_events", "calendar.delete_event",
    ]  # fmt: skip


def test_an_optimizer_gives_each_predictor_demonstrations_of_its_own(suite: Suite, tmp_path: Path) -> None:
    made = dspy.BootstrapFewShot(metric=lambda *_: True, max_bootstrapped_demos=1, max_labeled_demos=0)
    with dspy.context(lm=Script(*WHOLE).lm()):
        compiled = made.compile(whole(suite.env), trainset=suite.examples("train", limit=1))
    planner, selector = compiled.planner.outline, compiled.selector.next
    assert planner.demos[0].outline == "Look, then delete."
    assert len(selector.demos[0].trajectory) == 2
    planner.demos = []

    compiled.save(tmp_path / "program.json")
    loaded = whole(suite.env)
    loaded.load(tmp_path / "program.json")
    assert loaded.planner.outline.demos == []
    assert len(loaded.selector.next.demos) == 1
    assert loaded.digest == compiled.digest
    done, script = run_script(loaded, *WHOLE)
    assert done.episode.status == "finished"
    assert len(texts(script.requests[0])) == 1  # a planner without an example


def test_other_settings_leave_components_models_and_fitting_texts_as_they_are(env: Environment) -> None:
    own = scripted_lm(GoldEngine(TASKS))
    agent = Agent("plan", env=env, checker=Cautious(), toolset="all", access="policy")
    agent.set_lm(own)
    for predictor in agent.predictors():
        predictor.signature = predictor.signature.with_instructions("Hurry.")

    text = agent.with_settings(prompt="text", max_steps=3)
    assert (text.prompt, text.max_steps, text.toolset, text.env) == ("text", 3, "all", env)
    assert text.portable_state() == agent.portable_state()
    native = agent.with_settings(strategy="function_calling")
    assert (native.prompt, native.with_settings(strategy="act").prompt) == ("native", "auto")
    assert native.checker.judge.signature.instructions == "Hurry."
    assert native.selector.predict.signature.instructions != "Hurry."
    again = native.with_settings(strategy="plan", planner_lm=own)
    assert again.config == agent.config
    assert again.planner_lm is own
    assert again.with_settings(max_steps=3).planner_lm is own
    assert again.with_settings(strategy="act").planner_lm is None
    for made in (text, native, again):
        assert {id(each) for each in made.predictors()}.isdisjoint(map(id, agent.predictors()))
        assert {model_name(each.lm) for each in made.predictors()} == {model_name(own)}


def test_a_state_of_other_components_is_refused(env: Environment, tmp_path: Path) -> None:
    whole(env).save(tmp_path / "program.json")

    with pytest.raises(InputError, match="another program"):
        Agent("act", env=env).load(tmp_path / "program.json")
    other = Agent("act", env=env, planner=Outliner(), selector=Selector(), checker=Cautious())
    with pytest.raises(InputError, match=r"test_components\.Twice"):
        other.load(tmp_path / "program.json")


def test_components_are_part_of_what_a_program_is(env: Environment) -> None:
    assert Agent("act", executor=Twice()).digest != Agent("act").digest
    assert program_digest(Agent("act", executor=Twice())) == program_digest(Agent("act", executor=Twice()))
    assert "components" not in Agent("act").config


def test_the_harness_runs_a_copy_of_them(suite: Suite) -> None:
    agent = whole(suite.env).deepcopy()
    result = evaluate(agent, suite.tasks[:1], EvalSettings(env=suite.env, lm=Script(*WHOLE).lm(), workers=1))

    assert [record.status for record in result.records] == ["finished"]
    assert result.records[0].model_calls == 6


class Telling(dspy.Module):  # type: ignore[misc]
    """Selects with demonstrations that quote a ticket."""

    def __init__(self) -> None:
        super().__init__()
        self.next = dspy.Predict("task, trajectory: list -> tool, arguments: dict[str, str]")
        twin = {"task": "Case redacted", "trajectory": [], "tool": "finish", "arguments": {}}
        notes: dict[str, dict[str, Any]] = {
            "private": {"records": ["tickets/1001"]},
            "denied": {"records": ["tickets/1001", "@denied"], "redacted": twin},
            "open": {"records": []},
        }
        self.next.demos = [
            dspy.Example(task=f"Case {name}", trajectory=[], tool="finish", arguments={}, **{NOTES: each})
            for name, each in notes.items()
        ]

    def forward(self, rollout: Rollout) -> dspy.Prediction:
        return self.next(task=rollout.task.query, trajectory=rollout.trajectory)


def test_demonstrations_of_ones_own_predictors_are_filtered_as_well(tmp_path: Path) -> None:
    shop = desk.env(tmp_path / "desk")
    script = Script(call("finish", '{"status": "answered", "answer": "x"}'))
    agent = Agent("act", env=shop, selector=Telling())
    assert desk.SEARCH.persona is not None
    unreadable = shop.unreadable(desk.SEARCH.persona, frozenset({"tickets/1001"}))
    run_agent(agent, script.lm(), desk.SEARCH)
    shown = "\n".join(texts(script.requests[0]))

    assert ("Case private" in shown) == (not unreadable)
    assert "Case denied" not in shown
    assert "Case redacted" in shown
    assert "Case open" in shown


class Thinker(Selector):
    """Thinks before it selects, in a field that gold plans do not have."""

    def __init__(self) -> None:
        super().__init__()
        self.next = dspy.ChainOfThought(NextCall)


@pytest.mark.parametrize("calls", ["text", "native"])
def test_gold_plans_fill_the_thoughts_of_a_component(env: Environment, calls: str) -> None:
    agent = Agent("act", env=env, selector=Thinker(), prompt=calls)
    with dspy.context(lm=scripted_lm(GoldEngine(TASKS)), trace=[]):
        done = agent(task=TASKS[0])
        ((_, _, last),) = dspy.settings.trace

    assert (done.episode.status, done.unreadable) == ("finished", 0)
    assert last.reasoning == "Everything is done."


@pytest.mark.parametrize("strategy", ["act", "plan", "cot"])
def test_gold_plans_fill_what_components_add_as_far_as_it_is_text_or_has_a_default(
    env: Environment, strategy: str
) -> None:
    parts: Any = {"planner": Outliner(), "checker": Cautious()}
    agent = Agent(strategy, env=env, **parts)
    lm = scripted_lm(GoldEngine(TASKS))
    outline = agent.planner.outline
    outline.signature = Outline.append("sure", dspy.OutputField(default=True), bool)
    done = run_agent(agent, lm)
    assert (done.episode.status, done.unreadable) == ("finished", 0)

    for kind in (bool, list[str], Literal["high", "low"]):
        outline.signature = Outline.append("sure", dspy.OutputField(), kind)
        with pytest.raises(InputError, match=r"^planner\.outline\.sure: .*make it a str, give it a default"):
            agent.check_model(lm)
