"""The same replies to the same prompts, whether calls are native or text."""

from __future__ import annotations

from typing import Any

import dspy
import pytest
from dspy.lm15 import FunctionTool, Message, Request, ToolCallPart

from tests.programs.office import TASKS, make_env
from worksmith.models.analogy import AnalogyEngine
from worksmith.programs.agent import Agent
from worksmith.programs.replaying.scripted import GoldEngine, scripted_lm
from worksmith.programs.strategies import STRATEGIES
from worksmith.tools.environment import Environment

LM = dspy.LM("local/analogy", engine=AnalogyEngine(), cache=False)
WALK = FunctionTool(
    "walk", "Walk to a place.", {"type": "object", "properties": {"place": {"type": "string"}}}
)
END = FunctionTool("finish", "End the task once everything is done.")


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return make_env(tmp_path_factory.mktemp("office"))


def taught(env: Environment, strategy: str, calls: str) -> Agent:
    """An agent that is shown how the other tasks are done."""
    agent = Agent(strategy, env=env, prompt=calls)
    with dspy.context(lm=scripted_lm(GoldEngine(TASKS)), trace=[]):
        for task in TASKS[1:]:
            agent(task=task)
        for predict, inputs, outputs in dspy.settings.trace:
            predict.demos.append(dspy.Example(**inputs, **outputs.toDict()))
    return agent


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.parametrize("strategy", [*STRATEGIES])
def test_native_calls_are_those_written_as_text(env: Environment, strategy: str, shown: bool) -> None:
    found: list[Any] = []
    for calls in ("native", "text"):
        agent = taught(env, strategy, calls) if shown else Agent(strategy, env=env, prompt=calls)
        with dspy.context(lm=LM):
            done = agent(task=TASKS[0])
        episode = done.episode
        made = [(call.tool, call.arguments, call.observation.status) for call in episode.calls]
        found.append((episode.status, made, episode.thoughts, episode.answer, episode.plan, done.unreadable))

    if shown or STRATEGIES[strategy].stepwise:
        assert found[0] == found[1]
    assert found[0][0] == "finished"
    assert bool(found[0][1]) >= shown


@pytest.mark.parametrize(
    "messages",
    [
        [Message.user("Walk home.")],
        [Message.user("Walk home."), Message.assistant("Why?"), Message.user("Because.")],
        [Message.user(""), Message.assistant([ToolCallPart("1", "walk", {})]), Message.tool("1", "There.")],
        [Message.assistant([ToolCallPart("1", "fly", {}), ToolCallPart("2", "fly", {"to": [1, {}]})])],
    ],
)
def test_any_chat_with_tools_gets_a_call(messages: list[Message]) -> None:
    reply = AnalogyEngine().complete(Request("local/analogy", tuple(messages), tools=(WALK, END)))
    calls = reply.message.parts_of(ToolCallPart)

    assert reply.finish_reason == "tool_call"
    assert {call.name for call in calls} <= {"walk", "finish", "fly"}
    assert calls
    assert reply.usage.input_tokens
