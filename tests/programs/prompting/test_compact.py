"""Compact prompts: what they show, and how replies are read."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.programs.office import TASKS, Script, call, finish, run_agent, run_script, texts
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.programs.agent import Agent
from worksmith.programs.parts.signatures import BRIEF_CALL, BRIEF_PLAN, call_signature
from worksmith.programs.prompting.forms import check_prompt
from worksmith.programs.prompting.json_layout import JsonLayout
from worksmith.programs.prompting.prompt import calendar_text
from worksmith.programs.prompting.shortened import shortened
from worksmith.programs.prompting.steps import step
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.programs.strategies import strategy
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import AskRecord, Part
from worksmith.tools.errors import InputError

LOOK = json.dumps({"tool": "calendar.search_events", "arguments": {"query": "Budget review"}})
DONE = json.dumps({"tool": "finish", "arguments": {"answer": "Done."}})


def chats(asks: list[AskRecord], part: Part) -> list[list[dict[str, str]]]:
    """The messages of each question of a part, with the reply as the last one."""
    sent: list[dict[str, str]] = []
    found = []
    for ask in asks:
        if ask.part == part and ask.exchange is not None:
            new = [{"role": each.role, "content": each.text} for each in ask.exchange.messages]
            sent = [*sent[: ask.exchange.repeated], *new]
            found.append([*sent, {"role": "assistant", "content": ask.exchange.reply}])
    return found


@pytest.mark.parametrize("name", ["act", "react", "plan"])
def test_the_last_prompt_of_an_episode_begins_with_every_earlier_one_and_its_reply(
    env: Environment, name: str
) -> None:
    episode = run_agent(Agent(name, env, prompt="compact:60"), scripted_lm(GoldEngine(TASKS))).episode

    sent = chats(episode.asks, "select")
    assert len(sent) == 3
    for number, chat in enumerate(sent, start=1):
        assert chat == sent[-1][: 1 + 2 * number]
    if name == "plan":
        [[system, asked, planned]] = chats(episode.asks, "plan")
        assert (system["content"], planned["content"]) == (BRIEF_PLAN, episode.plan)
        assert sent[0][1]["content"] == f"{asked['content']}\nPlan:\n{episode.plan}"


def test_a_prompt_is_a_calendar_the_clock_the_task_and_tables(env: Environment) -> None:
    _, script = run_script(Agent("act", env, prompt="compact:50"), LOOK, DONE)

    request = script.requests[-1]
    opening, called, seen = texts(request)
    assert request.system == BRIEF_CALL
    calendar, context, task = opening.splitlines()
    assert calendar.startswith("Next: ")
    assert context.startswith("Now: ")
    assert task == f"Task: {TASKS[0].query}"
    assert called == LOOK
    assert seen.startswith("event_id | event_name | ")
    assert "\n00000000 | " in seen
    assert not any("[[ ##" in text for text in texts(request))


def test_a_calendar_has_the_days_around_the_clock() -> None:
    assert calendar_text("Now: Sunday 2023-12-31 08:00. Working for: Ann.\n\nBe kind.") == (
        "Next: Mon 01-01, Tue 01-02, Wed 01-03, Thu 01-04, Fri 01-05, Sat 01-06, Sun 01-07. "
        "Ago: 1d 12-30, 2d 12-29, 3d 12-28, 4d 12-27, 5d 12-26, 6d 12-25, 7d 12-24, "
        "2w 12-17, 3w 12-10, 4w 12-03, 5w 11-26, 6w 11-19, 7w 11-12, 8w 11-05."
    )
    assert calendar_text("It is Sunday.") == ""


def test_a_full_prompt_stays_as_it_is(env: Environment) -> None:
    _, script = run_script(
        Agent("act", env, prompt="text"), call("calendar.search_events", '{"query": "x"}'), finish()
    )

    assert "[[ ## tools ## ]]" in str(script.requests[0].system)


def test_a_model_that_was_trained_on_compact_prompts_gets_them_unless_told_otherwise(
    env: Environment,
) -> None:
    class Trained(Script):
        compact_prompts = 70

    compact, full = Trained(LOOK, DONE), Trained(call("calendar.search_events", '{"query": "x"}'), finish())
    episode = run_agent(Agent("act", env), compact.lm()).episode
    run_agent(Agent("act", env, prompt="text"), full.lm())

    assert compact.requests[0].system == BRIEF_CALL
    assert texts(compact.requests[1])[-1] == shortened(episode.calls[0].observation.text, 70)
    assert "[[ ## tools ## ]]" in str(full.requests[0].system)


@pytest.mark.parametrize(
    "bad", ["I shall look.", '{"tool": "calendar.search_events"}', '{"tool": 3', "[]", " "]
)
def test_a_reply_that_is_no_call_is_shown_once_with_what_is_wrong(env: Environment, bad: str) -> None:
    found, script = run_script(Agent("act", env, prompt="compact"), bad, DONE)

    assert (found.unreadable, found.episode.status, found.answer) == (1, "finished", "Done.")
    assert texts(script.requests[1])[-2] == (bad.strip() or "(empty)")
    assert texts(script.requests[1])[-1].startswith("Your reply could not be read: ")


def test_demonstrations_look_like_the_running_episode(env: Environment) -> None:
    agent = Agent("act", env, prompt="compact:50")
    shown = {"context": "Now.", "task": "Another one", "tool": "finish", "arguments": {"answer": "Done."}}
    seen = step(json.loads(LOOK), "x" * 80)
    agent.selector.predict.demos = [dspy.Example(**shown, trajectory=[seen], augmented=True)]
    _, script = run_script(agent, DONE)

    cut = "x" * 50 + "... [80 characters]"
    assert texts(script.requests[0])[:4] == ["Now.\nTask: Another one", LOOK, cut, DONE]


def test_instructions_of_an_optimizer_are_shown(env: Environment) -> None:
    agent = Agent("act", env, prompt="compact")
    agent.selector.predict.signature = agent.selector.predict.signature.with_instructions("Be quick.")
    _, script = run_script(agent, DONE)

    assert str(script.requests[0].system).startswith("Be quick.")


FORMS = ["auto", "text", "json", "native", "compact", "compact:600"]


def test_the_form_is_a_setting_of_the_agent(env: Environment) -> None:
    agents = [Agent("act", env, prompt=prompt) for prompt in FORMS]

    assert len({agent.digest for agent in agents}) == len(FORMS)
    assert [agent.config["prompt"] for agent in agents] == FORMS


@pytest.mark.parametrize(
    "prompt", ["short", "compact:", "compact:7", "compact:x", "text:3", "compact:9999999"]
)
def test_other_formats_are_refused(prompt: str) -> None:
    with pytest.raises(InputError, match="no form of prompts"):
        check_prompt(prompt)


def test_adapters_are_refused(env: Environment) -> None:
    with dspy.context(adapter=dspy.JSONAdapter()), pytest.raises(InputError, match="go through JSONAdapter"):
        run_agent(Agent("act", env, prompt="compact"), Script().lm())


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=8,
)
LAYOUT = JsonLayout.of(call_signature(strategy("react")), 400)


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), values),
)
def test_a_call_is_one_line_and_is_read_as_it_was_written(tool: str, arguments: dict[str, Any]) -> None:
    written = str(LAYOUT.reply({"tool": tool, "arguments": arguments}).text)

    assert "\n" not in written
    assert LAYOUT.read(written, []) == {"thought": "", "tool": tool, "arguments": arguments}


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert set(LAYOUT.read(text, [])) == {"thought", "tool", "arguments"}


def test_the_runner_hands_the_format_of_a_model_through(env: Environment) -> None:
    class Trained(Script):
        compact_prompts = 70

    script = Trained(LOOK, DONE)
    result = evaluate(Agent("act", env), TASKS[:1], EvalSettings(env=env, lm=script.lm(), workers=1))

    assert [record.status for record in result.records] == ["finished"]
    assert {request.system for request in script.requests} == {BRIEF_CALL}
