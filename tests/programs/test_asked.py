"""What an agent can be asked: a task, what may be seen of one, or a text."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import dspy
import pytest

from tests.programs.office import TASKS, Script, call, finish, run_agent, texts
from tests.programs.org import make_org
from worksmith.evals.dspy_programs.asked import AD_HOC, task_of, whole_task
from worksmith.evals.tasks.task import Task, VisibleTask
from worksmith.programs.agent import Agent
from worksmith.programs.own_agents.program import OwnAgent
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.tools.environment import Environment
from worksmith.tools.errors import InputError


def test_what_may_be_seen_of_a_task_is_enough_to_do_it(env: Environment) -> None:
    agent = Agent("react", env=env)
    with dspy.context(lm=scripted_lm(GoldEngine(TASKS))):
        seen, whole = agent(task=TASKS[0].visible()), agent(task=TASKS[0])
        shown = agent(task=dspy.Example(task=TASKS[0].visible()).with_inputs("task"))

    assert seen.episode.outcome.to_json() == whole.episode.outcome.to_json()
    assert shown.episode.outcome.to_json() == whole.episode.outcome.to_json()
    assert not seen.episode.outcome.empty


def test_a_visible_task_has_nothing_else() -> None:
    seen = TASKS[0].visible()

    assert type(seen) is VisibleTask
    assert set(seen.model_dump()) == {"id", "query", "context", "domains", "persona", "now"}
    assert seen.visible() == seen


def test_a_gold_plan_is_looked_up_in_the_suite(env: Environment) -> None:
    agent = Agent("gold", env=env)
    episode = run_agent(agent, scripted_lm(GoldEngine(TASKS)), TASKS[1].visible()).episode

    assert "calendar.delete_event" in episode.plan


@pytest.mark.parametrize("change", [{"id": "elsewhere-1"}, {"query": "Cancel nothing"}])
def test_no_other_task_lends_its_gold_plan(env: Environment, change: dict[str, str]) -> None:
    other = TASKS[1].visible().model_copy(update=change)
    with dspy.context(lm=Script().lm()), pytest.raises(InputError, match="gold plan is not known here"):
        Agent("gold", env=env)(task=other)

    assert whole_task(other, env) is None


def test_a_text_is_asked_by_the_worlds_own_persona_with_all_tools(env: Environment) -> None:
    script = Script(call("calendar.search_events", '{"query": "Retro"}'), finish())
    episode = run_agent(Agent("act", env=env), script.lm(), "When is the meeting 'Retro'?").episode

    opening = texts(script.requests[0])[0]
    assert (episode.status, [made.observation.status for made in episode.calls]) == ("finished", ["ok"])
    assert "When is the meeting 'Retro'?" in opening
    assert "Working for: Sam" in opening
    assert "email.send_email(" in str(script.requests[0].system)


def test_a_task_can_be_made_of_a_text(env: Environment) -> None:
    made = task_of("Cancel it", env, domains=("calendar",), context="Be quick.")

    assert (made.id, made.domains, made.context) == (AD_HOC, ("calendar",), "Be quick.")


@pytest.mark.parametrize("given", [None, 5, {"query": "x"}, dspy.Example(task="x"), ["x"]])
def test_what_is_no_task_is_refused_with_what_one_is(env: Environment, given: Any) -> None:
    with (
        dspy.context(lm=Script().lm()),
        pytest.raises(InputError, match="is not a task"),
    ):
        Agent("act", env=env)(task=given)


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_text_is_no_task(env: Environment, text: str) -> None:
    with dspy.context(lm=Script().lm()), pytest.raises(InputError, match="the task is empty"):
        Agent("act", env=env)(task=text)


def test_where_access_depends_on_who_asks_a_text_does_not_do(tmp_path: Path) -> None:
    org = make_org(tmp_path / "org")
    with dspy.context(lm=Script().lm()), pytest.raises(InputError, match="does not say who asks"):
        Agent("act", env=org)(task="Who earns most?")


def test_a_text_is_asked_by_the_person_who_is_named(tmp_path: Path) -> None:
    org = make_org(tmp_path / "org")
    script = Script(finish(), finish())
    with dspy.context(lm=script.lm()):
        Agent("act", env=org)(task="Who earns most?", persona="service_manager")
        asyncio.run(Agent("act", env=org).acall(task="Who earns most?", persona="service_manager"))
    told = OwnAgent(lambda task: task.persona.id, org)(task="Who am I?", persona="service_manager")

    manager = org.persona("service_manager")
    assert all(f"Working for: {manager.name}" in texts(request)[0] for request in script.requests)
    assert told.answer == manager.id


def test_a_task_is_asked_by_nobody_else(env: Environment) -> None:
    with dspy.context(lm=Script().lm()), pytest.raises(InputError, match="the task has a persona"):
        Agent("act", env=env)(task=TASKS[0], persona="sam")


def test_a_changed_copy_of_a_task_has_another_digest() -> None:
    before = TASKS[0].digest

    assert TASKS[0].model_copy(update={"query": "Cancel all"}).digest != before
    assert TASKS[0].model_copy().digest == before
    assert isinstance(TASKS[0].model_copy(), Task)
