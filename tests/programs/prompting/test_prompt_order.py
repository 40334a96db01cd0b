"""Prompts begin alike as far as they can, for a provider's cache of prompts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import dspy
import pytest
from dspy.lm15 import Message, Response
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chat_server import ChatServer, called, chat_server, said
from tests.programs.office import TASKS, answer, call, finish, lm_of, reply, run_agent
from worksmith.programs.agent import Agent
from worksmith.programs.prompting.request import AgentRequest
from worksmith.programs.strategies import STRATEGIES
from worksmith.tools.environment import Environment

CALLS: list[dict[str, Any]] = [
    {"tool": "calendar.search_events", "arguments": {"query": "Budget"}},
    {"tool": "calendar.delete_event", "arguments": {"event_id": "99999999"}},
    {"tool": "no.such_tool", "arguments": {}},
]
CHOICES = ["0", "1", "2", "unreadable"]


class Model:
    """Chooses what it is told to choose, and keeps the requests by the fields that they ask for."""

    def __init__(self, choices: Sequence[str]) -> None:
        self.requests: dict[str, list[AgentRequest]] = {}
        self._choices = iter(choices)

    def complete(self, request: AgentRequest) -> Response:
        asked = str(request.system)
        kind = next(name for name in ("calls", "verdict", "arguments", "plan") if f"## {name} ##" in asked)
        self.requests.setdefault(kind, []).append(request)
        if kind == "plan":
            return answer(request, reply(plan="1. Look (calendar.search_events)"))
        if kind == "verdict":
            return answer(request, reply(reason="It may.", verdict="Allowed"))
        choice = next(self._choices, "")
        if choice == "unreadable":
            return answer(request, "Hm.")
        if kind == "calls":
            return answer(request, reply(calls="[]"))
        made = call(CALLS[int(choice)]["tool"], '{"query": "x"}') if choice else finish()
        return answer(request, made)


def turns(request: AgentRequest) -> list[Message]:
    return list(request.messages)


@pytest.mark.parametrize("toolset", ["all", "retrieved:2"])
@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "function_calling"])
@settings(max_examples=8)
@given(choices=st.lists(st.sampled_from(CHOICES), max_size=5))
def test_the_next_prompt_of_an_episode_begins_with_the_last_one(
    env: Environment, strategy: str, toolset: str, choices: list[str]
) -> None:
    model = Model(choices)
    run_agent(Agent(strategy, env=env, toolset=toolset, access="model"), lm_of(model))

    for kind in {"calls", "arguments"} & set(model.requests):
        for before, after in pairwise(model.requests[kind]):
            assert (after.system, after.tools) == (before.system, before.tools)
            # Where the offer changes from step to step, it stands in the last turn.
            kept = len(turns(before)) - (toolset != "all")
            assert turns(after)[:kept] == turns(before)[:kept]
            assert len(turns(after)) > len(turns(before))
    for request in model.requests.get("arguments", []):
        assert request.grows == (toolset == "all")
        assert ("calendar.search_events(" in str(request.system)) == (toolset == "all")
        assert str(request.messages[request.shown].text).startswith("[[ ## context ## ]]")
    assert not any(request.grows for request in model.requests.get("calls", []))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with chat_server(Planning) as running:
        yield running


class Planning(ChatServer):
    """Says the script to requests with tools, and a plan to others."""

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        return super().answer(body) if "tools" in body else said(reply(plan="1. Look"))


@pytest.mark.parametrize("strategy", [name for name, each in STRATEGIES.items() if each.stepwise])
def test_native_calls_only_append_to_a_prompt(env: Environment, server: ChatServer, strategy: str) -> None:
    made = [called((each["tool"].replace(".", "__"), each["arguments"])) for each in CALLS]
    server.say(*made, said("Hm."), called(("finish", {"answer": "Done."})))
    lm = dspy.LM("openai/gpt-4o-mini", api_base=server.url, api_key="none", cache=False, num_retries=0)
    run_agent(Agent(strategy, env=env, toolset="all", prompt="native"), lm)

    assert len(server.bodies) == 5
    for before, after in pairwise(server.bodies):
        assert after["tools"] == before["tools"]
        assert after["messages"][: len(before["messages"])] == before["messages"]


def test_prompts_of_other_tasks_begin_alike_up_to_their_own_context(env: Environment) -> None:
    prompts: list[str] = []
    for task, context in zip(TASKS[:2], ("Rules of one.", "Other rules."), strict=True):
        model = Model([])
        agent = Agent("react", env=env, toolset="all")
        agent.selector.predict.demos = [demo()]
        run_agent(agent, lm_of(model), task.model_copy(update={"context": context}))
        (request,) = model.requests["arguments"]
        prompts.append("\n".join([str(request.system), *(str(turn.text) for turn in turns(request))]))
    one, other = prompts

    same = next(place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    assert one[:same].endswith("Working for: Sam.\n\n")
    assert one[:same].count("[[ ## tools ## ]]") == 2
    assert one[same:].startswith("Rules of one.")


def demo() -> dspy.Example:
    steps = [{"thought": "Look.", **CALLS[0], "observation": "1"}]
    closing: dict[str, Any] = {"thought": "Done.", "tool": "finish", "arguments": {"answer": "Done."}}
    return dspy.Example(context="Now.", task="Another task", trajectory=steps, **closing)
