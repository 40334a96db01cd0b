"""What an episode keeps of the prompts that models were sent, and of their replies."""

from __future__ import annotations

from typing import Any

import dspy
import pytest
from dspy.utils.callback import BaseCallback

from tests.programs.office import Script, call, finish, reply, run_agent
from worksmith.programs.agent import Agent
from worksmith.tools.environment import Environment
from worksmith.tools.episode_result import AskRecord, Exchange, Message

SEARCH = call("calendar.search_events", '{"query": "Budget"}', thought="Look.")
DEMO = dspy.Example(
    context="Now: Friday.",
    task="Cancel lunch",
    tools="",
    thought="It is done.",
    tool="finish",
    arguments={"answer": "Done."},
)


def prompts(asks: list[AskRecord]) -> list[list[Message]]:
    """The whole prompt of each question, put together again."""
    whole: dict[str, list[Message]] = {}
    made = []
    for ask in asks:
        said = exchange(ask)
        whole[ask.part] = [*whole.get(ask.part, [])[: said.repeated], *said.messages]
        made.append(whole[ask.part])
    return made


def exchange(ask: AskRecord) -> Exchange:
    assert ask.exchange is not None
    return ask.exchange


def sent(request: Any) -> list[tuple[str, str]]:
    return [("system", str(request.system)), *((each.role, each.text) for each in request.messages)]


@pytest.fixture
def agent(env: Environment) -> Agent:
    agent = Agent("react", env=env)
    agent.selector.predict.demos = [DEMO]
    return agent


@pytest.mark.parametrize("callbacks", [[], [BaseCallback()]], ids=["direct", "by DSPy"])
def test_each_question_has_the_messages_that_were_sent_and_the_reply(
    agent: Agent, callbacks: list[BaseCallback]
) -> None:
    script = Script(SEARCH, "Hm.", finish())
    asks = run_agent(agent, script.lm().copy(callbacks=callbacks)).episode.asks

    assert prompts(asks) == [sent(request) for request in script.requests]
    assert [exchange(ask).reply for ask in asks] == [SEARCH, "Hm.", finish()]
    assert any("Cancel lunch" in message.text for message in exchange(asks[0]).messages)


def test_a_prompt_that_grew_keeps_what_is_new(agent: Agent) -> None:
    asks = run_agent(agent, Script(SEARCH, SEARCH, finish()).lm()).episode.asks
    first, second = exchange(asks[0]), exchange(asks[1])

    assert (first.repeated, second.repeated) == (0, len(first.messages))
    assert [message.role for message in second.messages] == ["assistant", "user"]


def test_parts_are_told_apart(env: Environment) -> None:
    allowed = reply(reason="It is Sam's.", verdict="Allowed")
    script = Script(SEARCH, allowed, SEARCH, allowed, finish())
    asks = run_agent(Agent("react", access="model", env=env), script.lm()).episode.asks

    assert prompts(asks) == [sent(request) for request in script.requests]
    assert exchange(asks[3]).repeated >= 1


def test_a_question_without_a_reply_has_what_was_sent(agent: Agent) -> None:
    (ask,) = run_agent(agent, Script(ConnectionError("gone")).lm()).episode.asks

    assert exchange(ask).messages
    assert exchange(ask).reply == ""


def test_demonstrations_are_held_once_for_all_episodes(agent: Agent) -> None:
    lm = Script(*[SEARCH, finish()] * 2).lm()
    one, other = (exchange(run_agent(agent, lm).episode.asks[0]) for _ in range(2))

    assert one.messages[:3] == other.messages[:3]
    assert all(a is b for a, b in zip(one.messages[:3], other.messages[:3], strict=True))
