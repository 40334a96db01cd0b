"""A provider's cache of prompts: its tokens are counted alike, whatever the shape of a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dspy
import pytest

from evals.lm.metering import metered, metering
from tests.chat_server import ChatServer, chat_server
from tools.episode_result import Tokens

LITELLM = pytest.mark.slow


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    with chat_server() as started:
        yield started


def chat(**usage: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}
    counts = {"prompt_tokens": 1000, "completion_tokens": 3, "total_tokens": 1003, **usage}
    return {"id": "1", "object": "chat.completion", "created": 0, "choices": [choice], "usage": counts}


def claude(**usage: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": "a"}]
    reply = {"type": "message", "role": "assistant", "content": content, "stop_reason": "end_turn"}
    return {"id": "1", "model": "claude-x", **reply, "usage": {"output_tokens": 3, **usage}}


ANTHROPIC = claude(input_tokens=200, cache_read_input_tokens=700, cache_creation_input_tokens=100)
OPENAI = chat(prompt_tokens_details={"cached_tokens": 700})
TOO_MANY = chat(prompt_tokens_details={"cached_tokens": 9_000, "cache_write_tokens": 5})


@pytest.mark.parametrize(
    ("model", "engine", "reply", "tokens"),
    [
        ("openai/gpt-4o-mini", "lm15", OPENAI, Tokens(1000, 3, 700)),
        ("openai/gpt-4o-mini", "lm15", chat(), Tokens(1000, 3)),
        ("openai/gpt-4o-mini", "lm15", TOO_MANY, Tokens(1000, 3, 1000)),
        ("anthropic/claude-sonnet-4-5", "lm15", ANTHROPIC, Tokens(1000, 3, 700, 100)),
        pytest.param("openai/gpt-4o-mini", "litellm", OPENAI, Tokens(1000, 3, 700), marks=LITELLM),
        pytest.param(
            "anthropic/claude-sonnet-4-5", "litellm", ANTHROPIC, Tokens(1000, 3, 700, 100), marks=LITELLM
        ),
    ],
)
def test_prompt_tokens_are_all_and_cached_ones_a_part(
    server: ChatServer, model: str, engine: str, reply: dict[str, Any], tokens: Tokens
) -> None:
    server.say({"whole": {"model": model, **reply}})
    base = (
        server.url.removesuffix("/v1")
        if model.startswith("anthropic") and engine == "litellm"
        else server.url
    )
    lm = metered(dspy.LM(model, api_base=base, api_key="none", engine=engine))
    for paid in (tokens, Tokens()):
        with metering() as meter:
            assert lm("question") == ["a"]
        assert (meter.usage.tokens, meter.usage.billed) == (tokens, paid)
