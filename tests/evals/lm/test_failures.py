"""Whose failure an exception is, whoever raises it."""

from __future__ import annotations

import asyncio
import errno
import socket
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import apsw
import dspy
import httpx
import openai
import pytest
import requests
from aiohttp import ClientConnectionError
from dspy import lm15
from dspy.utils import exceptions as lm

from tests.evals.client_errors import (
    API_CORE,
    GOOGLE,
    REQUEST,
    TOO_LONG,
    foreign,
    of_aiohttp,
    of_amazon,
    of_grpc,
    of_httpx,
    of_openai,
    of_requests,
    of_urllib,
    raised_from,
)
from tests.evals.episodes import make_task
from tests.tables import each_row
from worksmith.evals.failure_modes.catalogue import failure_modes
from worksmith.evals.lm.failures import LONGEST_ERROR, LONGEST_TRACEBACK, failure_of, failure_status
from worksmith.evals.running.runner import evaluate
from worksmith.evals.running.settings import EvalSettings
from worksmith.retrievers.errors import RetrievalError
from worksmith.tools.errors import InfrastructureError, InputError
from worksmith.tools.statuses import INFRASTRUCTURE, STATUSES, EpisodeStatus


@each_row(
    "error",
    [
        lm.LMTimeoutError("slow"),
        lm.LMRateLimitError("slow down", status=429),
        lm.LMInvalidRequestError("no such deployment", status=404),
        lm.LMUnexpectedError("line is down"),
        ConnectionError("no route"),
        OSError(errno.ETIMEDOUT, "timed out"),
        OSError(errno.EHOSTUNREACH, "no route"),
        OSError(errno.ENETUNREACH, "no network"),
        openai.APIConnectionError(request=REQUEST),
        of_openai(openai.InternalServerError, 500, "sorry"),
        of_openai(openai.RateLimitError, 429, "quota", code="insufficient_quota"),
        foreign("anthropic", "APIConnectionError", "APIError", "AnthropicError"),
        foreign("anthropic", "OverloadedError", "APIStatusError", status_code=529),
        httpx.ReadTimeout("slow"),
        ClientConnectionError("no route"),
        foreign("litellm.exceptions", "Timeout", status_code=408),
        foreign(API_CORE, "ResourceExhausted", "GoogleAPICallError", code=429),
        foreign("botocore.exceptions", "EndpointConnectionError", "ConnectionError", "HTTPClientError"),
    ],
)
def test_a_model_that_could_not_be_asked_says_nothing_about_the_program(error: Exception) -> None:
    """Which of such requests are tried again, with more of them, is in `wire/test_retries.py`."""
    assert failure_status(error) == "model_error"
    assert failure_status(raised_from(error)) == "model_error"
    assert failure_status(raised_from(error, lm.LMUnexpectedError("unexpected"))) == "model_error"


@each_row(
    ("error", "status"),
    [
        (lm.ContextWindowExceededError(), "context_limit"),
        (lm15.ContextLengthError("too long"), "context_limit"),
        (lm.LMInvalidRequestError(TOO_LONG, status=400), "context_limit"),
        (of_openai(openai.BadRequestError, 400, TOO_LONG), "context_limit"),
        (of_openai(openai.BadRequestError, 400, "no", code="context_length_exceeded"), "context_limit"),
        (of_httpx(400, '{"error": "the request exceeds the available context size"}'), "context_limit"),
        (of_requests(400, "prompt is too long: 210000 tokens > 200000 maximum"), "context_limit"),
        (of_httpx(413), "context_limit"),
        (foreign("litellm.exceptions", "ContextWindowExceededError", "BadRequestError"), "context_limit"),
        (of_amazon("ValidationException", 400, "Input is too long for requested model."), "context_limit"),
        (foreign(*GOOGLE, said="The input token count (9) exceeds the maximum", code=400), "context_limit"),
        (of_grpc("INVALID_ARGUMENT", "context window exceeded"), "context_limit"),
        (of_openai(openai.BadRequestError, 400, "temperature is not supported"), "invalid_request"),
        (of_openai(openai.UnprocessableEntityError, 422, "top_k"), "invalid_request"),
        (of_openai(openai.BadRequestError, 400, "max_tokens is too large: 999999"), "invalid_request"),
        (lm.LMInvalidRequestError("top_k", status=422), "invalid_request"),
        (lm.LMUnsupportedFeatureError("top_k"), "invalid_request"),
        (foreign("litellm.exceptions", "UnsupportedParamsError", "BadRequestError"), "invalid_request"),
        (foreign("botocore.exceptions", "ParamValidationError", "BotoCoreError"), "invalid_request"),
        (of_aiohttp(400), "invalid_request"),
        (of_urllib(400), "invalid_request"),
        (of_openai(openai.BadRequestError, 400, "no", code="content_filter"), "filtered"),
        (foreign("litellm.exceptions", "ContentPolicyViolationError", status_code=400), "filtered"),
        (lm.LMInvalidRequestError("Candidate blocked: SAFETY", provider_code="SAFETY"), "filtered"),
        (lm.LMInvalidRequestError("no", provider_code="MALFORMED_FUNCTION_CALL"), "invalid_reply"),
        (foreign("openai", "LengthFinishReasonError", "OpenAIError"), "truncated"),
    ],
)
def test_a_request_that_a_model_does_not_take_is_the_program_s(
    error: Exception, status: EpisodeStatus
) -> None:
    assert failure_status(error) == status
    assert failure_status(raised_from(error)) == status
    assert status not in INFRASTRUCTURE


@each_row(
    "said",
    [
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 9.",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "the request exceeds the available context size, try increasing it",
        "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "too many tokens: total number of tokens in the prompt cannot exceed 4081",
        "Input is too long for requested model.",
        "Please reduce the length of the messages or completion.",
        "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    ],
)
def test_providers_complain_of_long_prompts_in_many_words(said: str) -> None:
    assert failure_status(of_openai(openai.BadRequestError, 400, said)) == "context_limit"


@pytest.mark.parametrize(
    "said",
    [
        "max_tokens is too large: 999999. This model supports at most 16384 completion tokens.",
        "Unsupported value: 'temperature' does not support 0.7 with this model.",
        "Invalid 'tools[0].function.name': string does not match pattern.",
        "messages: text content blocks must be non-empty",
    ],
)
def test_other_complaints_are_not_of_long_prompts(said: str) -> None:
    assert failure_status(of_openai(openai.BadRequestError, 400, said)) == "invalid_request"


@each_row(
    "error",
    [
        KeyError("tool"),
        AttributeError("'int' object has no attribute 'get'"),
        lm.DSPyError("so"),
        FileNotFoundError("prompt.txt"),
        requests.exceptions.InvalidURL("http://["),
        PermissionError(errno.EACCES, "not yours"),
        OSError("cannot parse the reply"),
        OSError(errno.EINVAL, "no such mode"),
        TimeoutError("the second agent is slow"),
        MemoryError(),
        UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"),
        # A name alone says nothing: whose class it is counts.
        type("APIConnectionError", (Exception,), {})("mine"),
        type("HTTPError", (Exception,), {"status_code": 503})("mine"),
    ],
)
def test_any_other_exception_is_a_mistake_in_the_program(error: Exception) -> None:
    assert failure_status(error) == "program_error"


@each_row(
    "error",
    [
        OSError(errno.ENOSPC, "no space left on device"),
        OSError(errno.EMFILE, "too many open files"),
        OSError(errno.EIO, "input/output error"),
        OSError(errno.ENOMEM, "cannot allocate memory"),
        OSError(errno.EROFS, "read-only file system"),
        apsw.IOError("disk"),
        RetrievalError("the index is damaged"),
        InfrastructureError("the org does not answer"),
    ],
)
def test_what_the_harness_stands_on_is_infrastructure(error: Exception) -> None:
    assert failure_status(error) == "harness_error"


def test_a_server_that_a_program_waits_for_in_vain_is_infrastructure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(TimeoutError) as caught:
            urllib.request.urlopen(address, timeout=0.05)
    assert failure_status(caught.value) == "model_error"


def test_a_time_limit_of_a_program_s_own_is_a_mistake() -> None:
    async def agent() -> None:
        await asyncio.wait_for(asyncio.sleep(60), 0.01)

    with pytest.raises(TimeoutError) as caught:
        asyncio.run(agent())
    assert failure_status(caught.value) == "program_error"


def test_an_exception_while_another_is_handled_is_a_mistake_of_its_own() -> None:
    def careless() -> None:
        try:
            raise ConnectionError("no route")
        except ConnectionError as error:
            raise KeyError(error.nothing)  # type: ignore[attr-defined]  # noqa: B904

    with pytest.raises(AttributeError) as caught:
        careless()
    assert failure_status(caught.value) == "program_error"


def test_groups_of_exceptions_are_looked_into() -> None:
    async def down() -> None:
        raise OSError(errno.EHOSTUNREACH, "no route")

    async def agents() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(down())

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(agents())
    assert failure_of(caught.value).status == "model_error"
    assert failure_of(caught.value).error == "OSError: [Errno 113] no route"


def deep(number: int) -> None:
    if number == 0:
        raise KeyError("x" * 9_000)
    deep(number - 1)


@pytest.mark.parametrize("broken", [lambda: deep(0), lambda: deep(400)])
def test_a_mistake_is_kept_with_its_traceback_within_bounds(
    broken: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "x" * 20)
    with pytest.raises(KeyError) as caught:
        broken()
    ended = failure_of(caught.value)

    assert "in deep" in ended.traceback
    assert len(ended.traceback) < LONGEST_TRACEBACK + 20
    assert len(str(ended.error)) <= LONGEST_ERROR
    assert "x" * 20 not in f"{ended.traceback}{ended.error}"


@each_row("status", ["finished", "done", 5, [], None])
def test_an_exception_cannot_say_that_all_is_well(status: Any) -> None:
    error = KeyError("x")
    vars(error)["episode_status"] = status

    assert failure_status(error) == "program_error"


def test_an_exception_of_one_s_own_says_how_it_ends_an_episode() -> None:
    class TooManyStepsError(Exception):
        episode_status = "step_limit"

    assert failure_of(TooManyStepsError("20 steps")).status == "step_limit"


def test_the_table_has_every_status_and_every_wrong_end_is_a_fault() -> None:
    assert set(STATUSES) == set(get_args(EpisodeStatus))
    assert {"model_error", "harness_error", "timeout"} == INFRASTRUCTURE
    assert set(STATUSES) - INFRASTRUCTURE - {"finished"} <= set(failure_modes())


def test_the_concepts_list_every_status() -> None:
    text = (Path(__file__).parents[3] / "docs" / "concepts.md").read_text(encoding="utf-8")
    for name, ending in STATUSES.items():
        assert f"| `{name}` | {'yes' if ending.graded else 'no'} |" in text


def test_unreadable_replies_of_plain_dspy_programs_are_named() -> None:
    model = dspy.utils.DummyLM([{"b": "x"}, {"b": "x"}])
    with dspy.context(lm=model), pytest.raises(lm.AdapterParseError) as caught:
        dspy.Predict("q -> number: int")(q="?")
    assert failure_status(caught.value) == "invalid_reply"


def test_a_model_without_its_key_ends_everything() -> None:
    with pytest.raises(InputError, match="set SOME_KEY"):
        failure_of(raised_from(lm.LMNotConfiguredError("no key found, set SOME_KEY")))


def test_a_server_that_a_program_asks_itself_and_that_is_down_costs_it_nothing() -> None:
    client = openai.OpenAI(base_url="http://127.0.0.1:9/v1", api_key="none", max_retries=0)

    def program(task: Any) -> Any:
        return client.chat.completions.create(model="x", messages=[{"role": "user", "content": task.query}])

    env: Any = SimpleNamespace(digest="world", code_digest="", kind=SimpleNamespace(name=""))
    result = evaluate(program, [make_task(0)], EvalSettings(env=env, scorers=[lambda *_: {"outcome": 1.0}]))

    assert (result.records[0].status, result.records[0].attempts) == ("model_error", 3)
    assert result.records[0].error == "APIConnectionError: Connection error."
    assert (result.summary.graded, result.summary.errors) == (0, 1)
