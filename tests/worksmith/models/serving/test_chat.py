"""What OpenAI's own client hears of a served model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import dspy
import httpx
import openai
import pytest
from dspy import lm15
from dspy.utils.exceptions import LMError
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.serving.odd_bodies import odd_bodies
from tests.worksmith.models.serving.running import NAME, TOKEN, Scripted, Served, said, served
from worksmith.evals.lm.failures import failure_status
from worksmith.models.serving.app import LONGEST_BODY
from worksmith.models.serving.messages import read_body, read_request, wants_stream, wants_usage
from worksmith.tools.serving.refusals import RequestError

LONG = "déjà vu\n" * 100
USER: Any = [{"role": "user", "content": "What is it?"}]
TOOL: Any = {
    "type": "function",
    "function": {"name": "look", "description": "Look.", "parameters": {"type": "object", "properties": {}}},
}
OK = said(lm15.TextPart("ok"))
CALL = lm15.ToolCallPart("call_1", "look", {"at": "the sky", "n": 2})


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served(Scripted(lambda _: OK)) as running:
        yield running


@pytest.fixture
def at(server: Served) -> Served:
    """A server whose engine has been asked nothing, and answers that all is well."""
    server.engine.requests.clear()
    server.engine.reply = lambda _: OK
    return server


def test_a_completion_has_text_reason_and_usage(at: Served) -> None:
    at.engine.reply = lambda _: said(lm15.TextPart(LONG), finish="length")
    reply = at.client().chat.completions.create(model=NAME, messages=USER)

    assert reply.choices[0].message.content == LONG
    assert reply.choices[0].finish_reason == "length"
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.total_tokens) == (7, 2, 9)
    assert reply.model == NAME


def test_the_engine_gets_what_the_client_said(at: Served) -> None:
    called = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"n":1}'}}
    turns: Any = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Look."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [called],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "a cloud"},
    ]
    at.client().chat.completions.create(
        model=NAME, messages=turns, tools=[TOOL], stop=["END"], temperature=0.5, max_tokens=9, seed=3, n=1
    )

    [request] = at.engine.requests
    assert request.system == "Be brief."
    assert [message.role for message in request.messages] == ["user", "assistant", "tool"]
    assert request.messages[1].parts_of(lm15.ToolCallPart)[0].input == {"n": 1}
    assert [tool.name for tool in request.tools] == ["look"]
    config = request.config
    assert (config.stop, config.temperature, config.max_tokens, config.seed) == (("END",), 0.5, 9, 3)


def test_calls_of_tools_arrive_whole_and_in_a_stream(at: Served) -> None:
    at.engine.reply = lambda _: said(CALL, finish="tool_call")
    client = at.client()
    whole = client.chat.completions.create(model=NAME, messages=USER, tools=[TOOL]).choices[0]
    with client.chat.completions.stream(model=NAME, messages=USER, tools=[TOOL]) as stream:
        streamed = stream.get_final_completion().choices[0]

    for choice in (whole, streamed):
        assert choice.finish_reason == "tool_calls"
        assert choice.message.content in (None, "")
        [call] = choice.message.tool_calls or []
        assert call.type == "function"
        assert (call.id, call.function.name) == ("call_1", "look")
        assert call.function.arguments == '{"at": "the sky", "n": 2}'


def test_a_stream_adds_up_to_the_completion(at: Served) -> None:
    at.engine.reply = lambda _: said(lm15.TextPart(LONG))
    chunks = list(
        at.client().chat.completions.create(
            model=NAME, messages=USER, stream=True, stream_options={"include_usage": True}
        )
    )

    assert "".join(each.choices[0].delta.content or "" for each in chunks if each.choices) == LONG
    assert [each.choices[0].finish_reason for each in chunks if each.choices][-1] == "stop"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens == 9
    assert len({each.id for each in chunks}) == 1
    assert len(chunks) > 4


def test_a_refusal_is_told_as_one(at: Served) -> None:
    at.engine.reply = lambda _: said(lm15.RefusalPart("I will not."))
    client = at.client()
    whole = client.chat.completions.create(model=NAME, messages=USER).choices[0].message
    chunks = list(client.chat.completions.create(model=NAME, messages=USER, stream=True))

    assert (whole.content, whole.refusal) == (None, "I will not.")
    assert "".join(each.choices[0].delta.refusal or "" for each in chunks) == "I will not."


def test_a_model_that_counts_no_tokens_reports_no_usage(at: Served) -> None:
    at.engine.reply = lambda _: said(lm15.TextPart("ok"), usage=lm15.Usage())
    assert at.client().chat.completions.create(model=NAME, messages=USER).usage is None


def test_the_model_is_listed(at: Served) -> None:
    at.engine.reply = lambda _: said(lm15.TextPart("ok"))
    assert [each.id for each in at.client().models.list()] == [NAME]
    assert at.client().models.retrieve(NAME).id == NAME
    with pytest.raises(openai.NotFoundError, match="model_not_found"):
        at.client().models.retrieve("local/other")


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"messages": []}, "at least one message"),
    ({"messages": [{"role": "alien", "content": "x"}]}, "role must be one of"),
    ({"n": 2}, "does not take 'n'"),
    ({"extra_body": {"foo": 1}}, "does not take 'foo'"),
    ({"extra_body": {"temperature": 9}}, "temperature"),
    ({"extra_body": {"stream": "yes"}}, "true or false"),
    ({"stream": True, "extra_body": {"stream_options": 1}}, "stream_options"),
]


@pytest.mark.parametrize(("changed", "message"), FAULTS)
def test_a_wrong_request_is_refused_with_its_fault(at: Served, changed: dict[str, Any], message: str) -> None:
    with pytest.raises(openai.BadRequestError, match=message) as caught:
        at.client().chat.completions.create(**{"model": NAME, "messages": USER, **changed})

    assert caught.value.type == "invalid_request_error"


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/chat/completions", b"{", 400, "invalid_json"),
        ("POST", "/chat/completions", b"[]", 400, "invalid_json"),
        ("POST", "/chat/completions", b'{"model":"m","model":"m"}', 400, "invalid_json"),
        ("POST", "/chat/completions", b"[" * 100_000, 400, "invalid_json"),
        *(
            ("POST", "/chat/completions", body, 400, "invalid_")
            for body in odd_bodies(b'{"model": "m"}', b'"m"')
        ),
        ("POST", "/chat/completions", b" " * (LONGEST_BODY + 1), 413, "request_too_large"),
        ("GET", "/chat/completions", b"", 405, "method_not_allowed"),
        ("POST", "/models", b"", 405, "method_not_allowed"),
        ("GET", "/nowhere", b"", 404, "unknown_url"),
        ("GET", "/models?" + "x" * 20_000, b"", 414, "uri_too_long"),
    ],
)
def test_what_is_no_request_is_answered_in_openais_shape(
    at: Served, method: str, path: str, body: bytes, status: int, code: str
) -> None:
    with at.http() as client:
        reply = client.request(method, path, content=body)

    assert reply.status_code == status
    assert reply.json()["error"]["code"].startswith(code)


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer x", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x"]
)
@pytest.mark.parametrize("path", ["/models", "/chat/completions", "/nowhere"])
def test_nothing_is_said_without_the_token(at: Served, header: str | None, path: str) -> None:
    headers = {} if header is None else {"Authorization": header}
    with httpx.Client(trust_env=False) as client:
        reply = client.get(at.url + path, headers=headers)

    assert reply.status_code == 401
    assert reply.json()["error"]["code"] == "invalid_api_key"


def test_another_name_for_this_machine_is_not_answered(at: Served) -> None:
    with at.http() as client:
        assert client.get("/models", headers={"Host": "evil.example"}).status_code == 421
        assert client.get("/models", headers={"Host": "localhost:1"}).status_code == 200


def _raising(error: Exception) -> Callable[[lm15.Request], lm15.Response]:
    def fail(_: lm15.Request) -> lm15.Response:
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        (lm15.ContextLengthError("too long"), openai.BadRequestError, "context_length_exceeded"),
        (lm15.InvalidRequestError("not this"), openai.BadRequestError, "invalid_request"),
        (lm15.ServerError("busy"), openai.InternalServerError, "model_error"),
        (ZeroDivisionError("a defect"), openai.InternalServerError, "unknown_exception"),
    ],
)
def test_failures_of_the_model_keep_their_kind(
    at: Served, error: Exception, kind: type[openai.APIStatusError], code: str
) -> None:
    at.engine.reply = _raising(error)
    with pytest.raises(kind) as caught:
        at.client().chat.completions.create(model=NAME, messages=USER, stream=True)

    assert caught.value.code == code
    assert "a defect" not in str(caught.value)


def test_a_prompt_that_is_too_long_ends_over_http_as_it_does_here(at: Served) -> None:
    at.engine.reply = _raising(lm15.ContextLengthError("too long"))
    lm = dspy.LM(f"openai/{NAME}", api_base=at.url, api_key=TOKEN, cache=False, num_retries=0)
    with pytest.raises(LMError) as caught:
        lm("hello")

    assert failure_status(caught.value) == "context_limit"


def test_a_reply_that_takes_too_long_is_given_up() -> None:
    def slow(_: lm15.Request) -> lm15.Response:
        time.sleep(0.5)
        return said(lm15.TextPart("late"))

    with served(Scripted(slow), seconds=0.05) as at, pytest.raises(openai.InternalServerError) as caught:
        at.client().chat.completions.create(model=NAME, messages=USER)

    assert (caught.value.status_code, caught.value.code) == (504, "timeout")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["model", "messages", "tools", "tool_choice", "stop", "n", "seed", "stream_options", "stream", "user"]
)


@given(st.dictionaries(KEYS | st.text(), JSON, max_size=5))
def test_no_object_crashes_the_reader(body: dict[str, Any]) -> None:
    for read in (read_request, wants_stream, wants_usage):
        try:
            read(body)
        except RequestError:
            continue


@given(st.binary(max_size=40))
def test_no_bytes_do(body: bytes) -> None:
    try:
        read = read_body(body)
    except RequestError:
        return
    assert isinstance(read, dict)
