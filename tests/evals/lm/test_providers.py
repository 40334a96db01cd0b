"""Real clients read the documented responses of providers: replies, tokens, failures, waits asked for."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator

import pytest
from dspy._vendor.lm15.serde import response_from_dict
from dspy.lm15 import (
    Config,
    FunctionTool,
    Message,
    Request,
    Response,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from dspy.utils.exceptions import LMError

from tests.evals.lm.provider_fixtures import Case, ProviderServer, cases, fixture, provider_server
from tests.tables import each_row
from worksmith.evals.lm.failures import failure_of, is_rate_limit, may_be_over_soon
from worksmith.evals.lm.finish_reasons import finish_reason
from worksmith.evals.lm.metering import metered, metering, reply_to_json
from worksmith.evals.lm.wire.retries import wait_before
from worksmith.models.named import use_models

LITELLM = ("azure", "bedrock", "mistral")
"""APIs that DSPy's own client does not speak; the import of LiteLLM takes seconds."""

FORECAST = FunctionTool(
    "forecast",
    "The weather.",
    {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city", "days"],
    },
)

MARKS = {"returned", "lost"}

UNSAID = 1.0
"""Seconds to wait if the server asks for none."""


@pytest.fixture(scope="module")
def running() -> Iterator[ProviderServer]:
    with provider_server() as server:
        yield server


@pytest.fixture
def server(running: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    monkeypatch.setenv("STUDENT", "q7Zr93kLm20aXw")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "q7Zr93kLm20aXw")
    yield running
    use_models({})


def each_case(chosen: list[Case]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A test for the cases of DSPy's own client at once, and one for those of LiteLLM."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        def whole(server: ProviderServer, by_litellm: bool) -> None:
            cases = [case for case in chosen if (case.api in LITELLM) == by_litellm]
            each_row("case", cases)(test)(server=server)

        return pytest.mark.parametrize(
            "by_litellm", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["own", "litellm"]
        )(whole)

    return decorate


def ask(server: ProviderServer, case: Case, *further: Message) -> Response:
    lm = metered(server.open(case))
    messages = (Message.user("How is the weather in Oslo?"), *further)
    request = Request(lm.model, messages, system="Use the tool.", tools=(FORECAST,), config=Config())
    response = lm(request, cache=False)
    assert isinstance(response, Response)
    return response


@each_case(cases("replies"))
def test_a_reply_is_read(case: Case, server: ProviderServer) -> None:
    with metering() as meter:
        response = ask(server, case)
    expected, message = case.expected, response.message
    calls = message.parts_of(ToolCallPart)
    thought = "".join(part.text for part in message.parts_of(ThinkingPart))

    assert server.paths == [fixture(case.api)["path"]]
    assert finish_reason(response) == expected["finish"]
    if expected["finish"] != "refusal":
        assert "".join(part.text for part in message.parts_of(TextPart)) == expected.get("text", "")
    assert [[call.name, call.input] for call in calls] == expected.get("calls", [])
    assert all(call.id for call in calls)
    assert len({call.id for call in calls}) == len(calls)
    if "ids" in expected:
        assert [call.id for call in calls] == expected["ids"]
    if "thinking" in expected:
        assert thought == expected["thinking"]
    assert meter.usage.estimated == expected.get("estimated", False)
    if "prompt" in expected:
        used = (meter.usage.prompt_tokens, meter.usage.completion_tokens)
        assert used == (expected["prompt"], expected["completion"])
    if "cached" in expected:
        through_cache = (meter.usage.cached_tokens, meter.usage.cache_write_tokens)
        assert through_cache == (expected["cached"], expected.get("written", 0))
        cached = (meter.usage.cached_tokens, meter.usage.cache_write_tokens)
        assert cached == (expected.get("cached", 0), expected.get("written", 0))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("api", "settings", "header", "sent"),
    [
        ("bedrock", {"region": "eu-west-1"}, "authorization", "/eu-west-1/bedrock/aws4_request"),
        ("azure", {}, "api-key", "q7Zr93kLm20aXw"),
        ("mistral", {}, "authorization", "Bearer q7Zr93kLm20aXw"),
    ],
)
def test_the_settings_of_a_cloud_reach_it(
    api: str, settings: dict[str, str], header: str, sent: str, server: ProviderServer
) -> None:
    lm = metered(server.open(Case(api, "replies", "text"), **settings))

    assert lm("How is the weather?", cache=False) == ["It is sunny."]
    assert sent in server.headers[0][header]
    assert "region" not in str(server.bodies[0])


@pytest.mark.parametrize("api", ["openai", pytest.param("azure", marks=pytest.mark.slow)])
def test_both_clients_log_in_at_a_proxy(
    api: str, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(variable, "elsewhere.invalid")
    for variable in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(variable, server.url.replace("//", "//me:word@"))
    base = f"http://model.invalid{fixture(api)['base']}"
    lm = metered(server.open(Case(api, "replies", "text"), api_base=base))

    assert lm("How is the weather?", cache=False) == ["It is sunny."]
    assert server.paths == [f"http://model.invalid{fixture(api)['path']}"]
    assert server.headers[0]["proxy-authorization"] == "Basic bWU6d29yZA=="


@pytest.mark.parametrize("api", ["anthropic", "ollama"])
def test_an_address_may_end_before_the_version(api: str, server: ProviderServer) -> None:
    for end in ("", "/", "/v1"):
        lm = server.open(Case(api, "replies", "text"), api_base=f"{server.url}{end}")
        metered(lm)("How is the weather?", cache=False)

        assert server.paths == [fixture(api)["path"]]


def test_azure_without_a_version_is_asked_by_dspy_s_own_client(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.url)
    lm = metered(server.open(Case("azure", "replies", "text"), api_base=None, api_version=None))

    assert lm("How is the weather?", cache=False) == ["It is sunny."]
    assert server.paths == ["/openai/v1/chat/completions"]
    assert server.headers[0]["api-key"] == "q7Zr93kLm20aXw"


@pytest.mark.slow
@pytest.mark.parametrize(("api", "path"), [("anthropic", "/v1/messages"), ("ollama", "/api/chat")])
def test_headers_do_not_change_the_address(api: str, path: str, server: ProviderServer) -> None:
    lm = server.open(Case(api, "replies", "text"), api_base=f"{server.url}/v1", headers={"X-Team": "STUDENT"})
    with contextlib.suppress(LMError):  # Ollama's own API answers in another form
        metered(lm)("How is the weather?", cache=False)

    assert server.paths == [path]
    assert server.headers[0]["x-team"] == "q7Zr93kLm20aXw"


def test_a_refusal_without_a_message_is_shown_as_it_came(server: ProviderServer) -> None:
    with pytest.raises(Exception, match="maximum context length is 8192"):
        ask(server, Case("vllm", "errors", "context_length_older_shape"))


@each_case([case for case in cases("replies") if MARKS & set(case.expected)])
def test_marks_of_a_thought_go_back_with_the_next_request_where_the_client_keeps_them(
    case: Case, server: ProviderServer
) -> None:
    kept = response_from_dict(reply_to_json(ask(server, case)))
    call = kept.message.parts_of(ToolCallPart)[0]
    ask(server, case, kept.message, Message.tool(ToolResultPart(call.id, (TextPart("sun"),), call.name)))
    sent = json.dumps(server.bodies[0])

    assert [mark for mark in case.expected.get("returned", ()) if mark not in sent] == []
    assert [mark for mark in case.expected.get("lost", ()) if mark in sent] == []


@each_case(cases("errors"))
def test_a_failure_is_classified(case: Case, server: ProviderServer) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 (any client's)
        ask(server, case)
    expected, error = case.expected, caught.value
    ended = failure_of(error)
    refused = f"the model refuses its setting {expected.get('setting')},"

    assert len(server.bodies) == 1
    assert ended.status == expected["ends"], ended.error
    assert may_be_over_soon(error) == expected["again"]
    if expected["again"]:
        too_many = case.response["status"] == 429 or expected.get("too_many", False)
        assert is_rate_limit(error) == too_many
    assert str(ended.error).startswith("the model refuses its setting") == ("setting" in expected)
    assert str(ended.error).startswith(refused) == ("setting" in expected)
    wait = wait_before(error, 1)
    if expected["again"]:
        assert wait == pytest.approx(expected.get("wait", UNSAID), rel=0.01)
    else:
        assert wait is None
