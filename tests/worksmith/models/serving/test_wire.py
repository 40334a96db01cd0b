"""What the model is asked over HTTP is what it is asked in this process, by either client of DSPy's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import dspy
import pytest
from dspy import lm15

from tests.worksmith.models.serving.running import NAME, TOKEN, Scripted, Served, said, served
from worksmith.evals.lm.single_request import single_request

CALL = lm15.ToolCallPart("call_1", "look", {"at": "the sky", "n": 2, "é": ["ü", None, 1.5]})
TURNS = (
    lm15.Message.user("[[ ## task ## ]]\nLook up.\n\n  Trailing spaces   \n"),
    lm15.Message.assistant([lm15.TextPart("I look."), CALL]),
    lm15.Message(role="tool", parts=(lm15.ToolResultPart("call_1", (lm15.TextPart("a cloud"),)),)),
    lm15.Message.assistant("I saw \u2028 a cloud \U0001f600."),
    lm15.Message.user(""),
    lm15.Message.user("And now?"),
)
TOOL = lm15.FunctionTool(
    "look",
    "Look at it.",
    {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]},
)
SETTINGS = lm15.Config(
    max_tokens=77, temperature=0.25, top_p=0.5, stop=("END", "\n\n"), seed=11, frequency_penalty=0.5
)
REQUESTS = {
    "turns": lm15.Request(NAME, TURNS, system="Be brief.\n"),
    "settings": lm15.Request(NAME, TURNS[:1], config=SETTINGS),
    "tools": lm15.Request(
        NAME, TURNS[:1], tools=(TOOL,), config=lm15.Config(tool_choice=lm15.ToolChoice(mode="required"))
    ),
    "developer": lm15.Request(
        NAME, (*TURNS[:1], lm15.Message(role="developer", parts=(lm15.TextPart("No."),)))
    ),
    "json": lm15.Request(NAME, TURNS[:1], config=lm15.Config(response_format={"type": "json_object"})),
}


@pytest.fixture(scope="module")
def at() -> Iterator[Served]:
    with served(Scripted(lambda _: said(lm15.TextPart("ok")))) as running:
        yield running


@pytest.mark.parametrize("client", ["lm15", pytest.param("litellm", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", REQUESTS)
def test_requests_arrive_as_they_were_made(at: Served, name: str, client: str) -> None:
    request = REQUESTS[name]
    lm = dspy.LM(f"openai/{NAME}", api_base=at.url, api_key=TOKEN, cache=False, num_retries=0, engine=client)
    at.engine.requests.clear()

    single_request(lm)(replace(request, model=lm.model))

    assert at.engine.requests == [request]


REPLIES = {
    "text": said(lm15.TextPart("a\n\u2028 b\U0001f600 ")),
    "cut": said(lm15.TextPart("a"), finish="length"),
    "empty": said(lm15.TextPart("")),
    "call": said(lm15.TextPart("I look."), CALL, finish="tool_call"),
    "calls": said(CALL, replace(CALL, id="call_2"), finish="tool_call"),
    "filtered": said(lm15.TextPart(""), finish="content_filter"),
}


@pytest.mark.parametrize("client", ["lm15", pytest.param("litellm", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", REPLIES)
def test_replies_arrive_as_they_were_made(at: Served, name: str, client: str) -> None:
    at.engine.reply = lambda _: REPLIES[name]
    lm = dspy.LM(f"openai/{NAME}", api_base=at.url, api_key=TOKEN, cache=False, num_retries=0, engine=client)

    heard = single_request(lm)(replace(REQUESTS["settings"], model=lm.model))

    assert heard.message == REPLIES[name].message
    assert heard.finish_reason == REPLIES[name].finish_reason
    assert (heard.usage.input_tokens, heard.usage.output_tokens) == (7, 2)
