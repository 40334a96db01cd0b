"""A provider's cache of prompts: its tokens are counted alike, whatever the shape of a report."""

from __future__ import annotations

from typing import Any

import dspy
import pytest
from dspy.lm15 import (
    CacheConfig,
    Config,
    FunctionTool,
    Message,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)

from tests.chat_server import ChatServer
from tests.evals.lm.provider_fixtures import Case, provider_server
from tests.tables import each_row
from worksmith.evals.dspy_programs.digests import model_digest
from worksmith.evals.lm.metering import metered, metering
from worksmith.evals.lm.prompt_cache import RepeatingRequest, compatible_mark, native_mark
from worksmith.evals.lm.provider_model import ProviderModel
from worksmith.evals.lm.wire.settings import WireSettings
from worksmith.models.named import use_models
from worksmith.tools.episode_result import Tokens

LITELLM = pytest.mark.slow


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


LONG = "A word. " * 400
TALK = (Message.user(f"demo {LONG}"), Message.assistant("reply"), Message.user("task"))
CLAUDE = "anthropic/claude-sonnet-4-5"


def marked(node: Any, path: str = "") -> list[str]:
    """The paths of all markers in a request."""
    if isinstance(node, list):
        return [found for number, each in enumerate(node) for found in marked(each, f"{path}/{number}")]
    if not isinstance(node, dict):
        return []
    own = [path] if "cache_control" in node else []
    return own + [found for name, each in node.items() for found in marked(each, f"{path}/{name}")]


def sent(
    server: ChatServer, lm: dspy.LM, messages: tuple[Message, ...] = TALK, **more: Any
) -> dict[str, Any]:
    """The body of a request, without cache, to a server that speaks Anthropic's API."""
    server.say({"whole": ANTHROPIC})
    metered(lm)(RepeatingRequest(lm.model, messages, f"system {LONG}", **more), cache=False)
    return server.bodies[-1]


def native(server: ChatServer, **settings: Any) -> dspy.LM:
    return dspy.LM(CLAUDE, api_base=server.url, api_key="none", engine="lm15", **settings)


@pytest.mark.parametrize("grows", [False, True])
def test_prompts_for_claude_are_marked(server: ChatServer, grows: bool) -> None:
    body = sent(server, native(server), grows=grows)
    plain = sent(server, ProviderModel(**unmarked(server)), grows=grows)

    assert marked(body) == [f"/messages/{2 if grows else 1}/content/0", "/system/0"]
    # A marker for the whole request is a setting of Anthropic's own servers.
    assert "cache_control" not in body
    assert marked(plain) == []
    assert plain["system"] == body["system"][0]["text"]
    assert texts_of(plain) == texts_of(body)


def unmarked(server: ChatServer) -> dict[str, Any]:
    settings = {"api_base": server.url, "api_key": "none", "engine": "lm15"}
    return {"model": CLAUDE, "wire": WireSettings(prompt_cache=False), **settings}


def texts_of(body: dict[str, Any]) -> list[str]:
    return [part["text"] for message in body["messages"] for part in message["content"]]


def test_the_end_is_marked_where_the_next_prompt_repeats_it() -> None:
    lm = dspy.LM(CLAUDE, api_key="none")
    mark = native_mark(lm, "anthropic")
    growing, last = (mark(RepeatingRequest("m", TALK, grows=grows)).config for grows in (True, False))

    assert growing.extensions == {"cache_control": {"type": "ephemeral"}}
    assert last.extensions is None
    assert growing.cache == last.cache == CacheConfig(prefix_until_index=1)
    # What the user has set, and what is too short for a cache, stays as it is.
    own = RepeatingRequest("m", TALK, config=Config(cache=CacheConfig(mode="off")))
    short = RepeatingRequest("m", TALK[1:], grows=True)
    for request in (own, short):
        assert mark(request) is request
    assert native_mark(lm, "openai")(growing := RepeatingRequest("m", TALK)) is growing


def test_the_demonstrations_end_with_a_marker() -> None:
    talk = (*TALK[:2], Message.user("the task"), Message.assistant("call"), Message.user("seen"))
    mark = native_mark(dspy.LM(CLAUDE, api_key="none"), "anthropic")

    for messages in (talk, talk[:3]):
        marked = mark(RepeatingRequest("m", messages, LONG, grows=True, shown=2))
        assert marked.config.cache == CacheConfig(prefix_until_index=1)


def test_a_call_takes_a_marker_and_a_thought_does_not(server: ChatServer) -> None:
    call = ToolCallPart("call00001", "look", {"at": "it"})
    back = Message.tool(ToolResultPart("call00001", (TextPart("seen"),), "look"))
    tools = (FunctionTool("look", "Look.", {"type": "object", "properties": {}}),)
    calls = sent(server, native(server), (*TALK, Message.assistant([call]), back), tools=tools)
    assert marked(calls) == ["/messages/3/content/0", "/system/0"]

    thought = Message.assistant([TextPart("So."), ThinkingPart("Hm.")])
    mark = native_mark(dspy.LM(CLAUDE, api_key="none"), "anthropic")
    assert mark(RepeatingRequest("m", (TALK[0], thought, TALK[2]))).config.cache == CacheConfig(
        prefix="stable"
    )


def test_markers_are_in_no_digest_and_in_no_key_of_a_reply(server: ChatServer) -> None:
    server.say({"whole": ANTHROPIC})
    for marks, grows in ((True, True), (False, False)):
        lm = ProviderModel(**{**unmarked(server), "wire": WireSettings(prompt_cache=marks)})
        metered(lm)(RepeatingRequest(CLAUDE, TALK, f"system {LONG}", grows=grows))
        assert model_digest(lm) == model_digest(native(server))

    assert len(server.bodies) == 1


@LITELLM
@pytest.mark.parametrize("grows", [False, True])
def test_prompts_are_marked_through_litellm(server: ChatServer, grows: bool) -> None:
    base = server.url.removesuffix("/v1")
    lm = dspy.LM(CLAUDE, api_base=base, api_key="none", engine="litellm")
    last = ["/messages/2/content/0"] if grows else []

    body = sent(server, lm, grows=grows)
    assert marked(body) == ["/messages/1/content/0", *last, "/system/0"]
    body = sent(server, lm, grows=grows, shown=1)
    assert marked(body) == ["/messages/0/content/0", "/messages/1/content/0", *last, "/system/0"]
    lm.wire = WireSettings(prompt_cache=False)
    assert marked(sent(server, lm, grows=grows)) == []


@each_row(
    ("model", "wanted"),
    [
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", True),
        ("bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0", True),
        ("bedrock/anthropic.claude-3-sonnet-20240229-v1:0", False),
        ("vertex_ai/claude-sonnet-4-5@20250929", True),
        ("openrouter/anthropic/claude-sonnet-4.5", True),
        ("anthropic/claude-of-tomorrow", True),
        ("openai/claude-behind-a-gateway", False),
        ("vertex_ai/gemini-2.5-flash", False),
        ("openai/gpt-4o-mini", False),
    ],
)
def test_only_claude_with_a_cache_is_marked(model: str, wanted: bool) -> None:
    request = RepeatingRequest(model, TALK, LONG)
    marked = compatible_mark(dspy.LM(model, api_key="none"))(request)

    assert ("cache_control_injection_points" in (marked.config.extensions or {})) == wanted


@pytest.mark.slow
def test_amazon_gets_its_own_kind_of_markers(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "AKIAIOSFODNN7EXAMPLE")
    with provider_server() as amazon:
        settings = {"model": "bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0"}
        lm = amazon.open(Case("bedrock", "replies", "cached"), **settings)
        with metering() as meter:
            request = RepeatingRequest(lm.model, TALK, LONG, grows=True, shown=1)
            metered(lm)(request, cache=False)
        (body,) = amazon.bodies
    use_models({})
    blocks = [list(block) for message in body["messages"] for block in message["content"]]

    assert [list(block) for block in body["system"]] == [["text"], ["cachePoint"]]
    assert blocks == [["text"], ["cachePoint"], ["text"], ["cachePoint"], ["text"], ["cachePoint"]]
    assert (meter.usage.cached_tokens, meter.usage.cache_write_tokens) == (1800, 248)
