"""Chats with native calls keep the rules of providers, whatever a model replies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from dspy.lm15 import Message, Request, Response, TextPart, ToolCallPart, ToolResultPart, Usage
from hypothesis import given
from hypothesis import strategies as st

from tests.programs.office import lm_of, run_agent
from worksmith.programs.agent import Agent
from worksmith.tools.environment import Environment

NAMES = ("calendar__search_events", "calendar__delete_event", "calendar.search_events", "fly")
INPUTS: tuple[dict[str, str], ...] = (
    {"query": "B"},
    {"event_id": "00000000"},
    {},
    {"partial_json": "{'query': 'B',}"},
    {"partial_json": "{"},
)
CALLS = st.builds(
    ToolCallPart, st.sampled_from(["1", "call00001"]), st.sampled_from(NAMES), st.sampled_from(INPUTS)
)
REPLIES = st.lists(
    st.lists(st.just(TextPart("Hm.")) | CALLS, min_size=1, max_size=4).map(Message.assistant), max_size=5
)
END = Message.assistant([ToolCallPart("1", "finish", {"answer": "Done."})])


class Model:
    """Gives replies in turn, and then ends the task."""

    supports_function_calling = True

    def __init__(self, replies: Sequence[Message]) -> None:
        self.requests: list[Request] = []
        self._replies = iter(replies)

    def complete(self, request: Request) -> Response:
        self.requests.append(request)
        said = next(self._replies, END)
        return Response(None, request.model, said, "tool_call", Usage(input_tokens=1, output_tokens=1))


@pytest.mark.parametrize("strategy", ["react", "direct"])
@given(replies=REPLIES)
def test_each_call_has_one_result_in_the_turn_after_it(
    env: Environment, strategy: str, replies: list[Message]
) -> None:
    model = Model(replies)
    agent = Agent(strategy, env=env, prompt="native", max_steps=9)
    episode = run_agent(agent, lm_of(model, "own/model")).episode
    turns = model.requests[-1].messages
    called = [part.id for turn in turns for part in turn.parts_of(ToolCallPart)]

    assert episode.status in ("finished", "step_limit", "repetition", "invalid_reply")
    assert len(set(called)) == len(called)
    for before, after in pairwise([*turns, None]):
        calls = before.parts_of(ToolCallPart) if before else ()
        results = after.parts_of(ToolResultPart) if after else ()
        assert [call.id for call in calls] == [result.id for result in results]
    for earlier, later in pairwise(model.requests):
        assert later.messages[: len(earlier.messages)] == earlier.messages
    assert len(episode.calls) <= 9
